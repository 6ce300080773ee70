// deploy/single/monitoring.yml: the alerts of Kubernetes for the two processes of one machine, as far as they can be tested
// without images.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { canHavePromtool, findPromtool } from "./find-tool.ts";
import { faultsOfSeries, type Recorded } from "./known-metrics.ts";
import { selectorsOf } from "./selectors.ts";

type Rule = Partial<Recorded> & { alert?: string; expr: string };
type RuleFile = { groups: { name: string; rules: Rule[] }[] };
type Service = {
  entrypoint: string[];
  command: string[];
  volumes: (string | { source: string })[];
  networks: string[];
  healthcheck?: { test: string[] };
};
type Scraped = { targets: string[]; labels: Record<string, string> };

const single = join(deployDir, "single");
const readYaml = (path: string): unknown =>
  parse(readFileSync(path, "utf8"), { merge: true, maxAliasCount: 300 });
const servicesOf = (file: string) =>
  (readYaml(join(single, file)) as { services: Record<string, Service> }).services;
const { prometheus, alertmanager } = servicesOf("monitoring.yml") as Record<
  "prometheus" | "alertmanager",
  Service
>;
const config = readYaml(join(single, "monitoring", "prometheus.yaml")) as {
  rule_files: string[];
  scrape_configs: { static_configs: Scraped[] }[];
};
const scraped = config.scrape_configs.flatMap(({ static_configs: targets }) => targets);
const resource = join(deployDir, "k8s", "components", "monitoring", "prometheus-rule.yaml");
const shipped = (readYaml(resource) as { spec: RuleFile }).spec;

let directory: string;
let rules: RuleFile;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-monitoring-"));
  const written = join(directory, "rules.yaml");
  // Creates the files as the container does before it starts Prometheus.
  const started = execFileSync(
    "/bin/sh",
    [join(single, "monitoring", "start-prometheus.sh"), resource, written, "echo", "started"],
    { encoding: "utf8" },
  );
  expect(started).toBe("started\n");
  rules = readYaml(written) as RuleFile;
});
afterAll(() => rmSync(directory, { recursive: true }));

const rulesOf = ({ groups }: RuleFile) => groups.flatMap((group) => group.rules);
const absentIn = (expr: string) =>
  [...expr.matchAll(/absent\(up\{namespace="holdfast", app_kubernetes_io_name="([\w-]+)"\}\)/g)].map(
    ([, name]) => name,
  );

test("the alerts miss the processes that are scraped, and are Kubernetes' otherwise", () => {
  const names = scraped.map(({ labels }) => labels["app_kubernetes_io_name"]);
  expect(names).toEqual(["edge", "core"]);
  expect(rulesOf(rules).flatMap(({ expr }) => absentIn(expr))).toEqual(names);
  const isOther = ({ alert }: Rule) => alert !== "HoldfastServiceDown";
  expect(rulesOf(rules).filter(isOther)).toEqual(rulesOf(shipped).filter(isOther));
  expect(rulesOf(rules)).toHaveLength(rulesOf(shipped).length);
});

test("each series that a rule asks for is one that the programs export, or the page says that the alert is silent", () => {
  const all = rulesOf(rules);
  const recorded = all.filter((rule): rule is Rule & Recorded => rule.record !== undefined);
  const expressions = all.map(({ expr }) => expr);
  expect(faultsOfSeries(expressions, recorded)).toEqual([]);
  const isOfCluster = ({ metric }: { metric: string }) => /^(?:kube|kubelet|certmanager)_/.test(metric);
  const silent = all.filter(({ expr }) => selectorsOf(expr).some(isOfCluster)).map(({ alert }) => alert);
  const page = readFileSync(join(deployDir, "..", "docs", "single-machine.md"), "utf8");
  const [, sentence = ""] = /no source here and never fire: ([^.]*)\./.exec(page) ?? [];
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(silent.toSorted());
});

test("a health port of each process is scraped, where both are", () => {
  const processes = servicesOf("compose.yml");
  for (const { targets, labels } of scraped) {
    const [process = "", port] = targets.join().split(":");
    expect(labels).toEqual({ namespace: "holdfast", app_kubernetes_io_name: process, pod: process });
    expect(processes[process]!.healthcheck!.test).toContain(port);
    expect(processes[process]!.networks).toEqual(expect.arrayContaining(prometheus.networks));
  }
  expect(alertmanager.networks).toEqual(expect.arrayContaining(prometheus.networks));
});

test("each program is given the files that it names, and nothing is published", () => {
  const given = [prometheus, alertmanager].flatMap(({ volumes }) =>
    volumes.map((volume) => (typeof volume === "string" ? volume.split(":")[0]! : volume.source)),
  );
  const files = given.filter((path) => path.startsWith("."));
  expect(files).toHaveLength(4);
  for (const path of files) {
    // The one file that people write themselves.
    const file = path === "./alertmanager.yaml" ? "./alertmanager.example" : path;
    expect(existsSync(join(single, file)), file).toBe(true);
  }
  expect(config.rule_files).toEqual([prometheus.command[1]]);
  for (const service of [prometheus, alertmanager]) {
    expect(service).not.toHaveProperty("ports");
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], mem_limit: expect.any(String) });
  }
});

test.runIf(await canHavePromtool())("promtool accepts the configuration with its rules", async () => {
  const file = join(directory, "prometheus.yaml");
  const text = readFileSync(join(single, "monitoring", "prometheus.yaml"), "utf8");
  writeFileSync(file, text.replace("/tmp/rules.yaml", join(directory, "rules.yaml")));
  const [program = ""] = await findPromtool();
  const { stdout } = await promisify(execFile)(program, ["check", "config", "--lint-fatal", file]);
  expect(stdout).toContain(`${rulesOf(rules).length} rules found`);
});
