// The profile `observability` of docker-compose.yml, as far as it can be held without its images.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { canHavePromtool, findPromtool } from "./find-tool.ts";

const repository = join(deployDir, "..");
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads configuration of other programs
const read = (...path: string[]): any =>
  parse(readFileSync(join(repository, ...path), "utf8"), { merge: true, maxAliasCount: 300 });
const settings = (name: string) => read("deploy", "compose", "observability", name);

type Service = { image: string; profiles?: string[]; volumes?: (string | object)[] };
const services = read("docker-compose.yml").services as Record<string, Service>;
const profiled = Object.entries(services).filter(([, { profiles }]) => profiles?.includes("observability"));

/** The files of this repository by their paths in a container. */
function mountsOf(name: string): Map<string, string> {
  const texts = (services[name]!.volumes ?? []).filter((volume) => typeof volume === "string");
  const mounts = texts.filter((text) => text.startsWith("./")).map((text) => text.split(":"));
  return new Map(mounts.map(([from = "", to = ""]) => [to, join(repository, from)]));
}

test("it is off unless asked for, of pinned images, and every file that is mounted is there", () => {
  expect(profiled.map(([name]) => name).toSorted()).toEqual([
    "grafana",
    "otel-collector",
    "prometheus",
    "tempo",
  ]);
  for (const [name, { image }] of profiled) {
    expect(image, name).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+@sha256:/);
    expect(mountsOf(name).size, name).toBeGreaterThan(0);
  }
  for (const name of Object.keys(services)) {
    for (const file of mountsOf(name).values()) expect(existsSync(file), file).toBe(true);
  }
});

test("each program is given a file that is mounted for it", () => {
  const given: Record<string, string[]> = {
    "otel-collector": ["/etc/otel/otel-collector.yaml"],
    tempo: ["/etc/tempo/tempo.yaml"],
    prometheus: ["/etc/prometheus/prometheus.yaml", "/etc/prometheus/prometheus-rule.yaml"],
  };
  const commands = services as unknown as Record<string, { command: string[] }>;
  for (const [name, files] of Object.entries(given)) {
    for (const file of files) {
      expect(
        commands[name]!.command.some((argument) => argument.endsWith(file)),
        file,
      ).toBe(true);
      expect(mountsOf(name).has(file), file).toBe(true);
    }
  }
});

test("traces go from the services through the collector to Tempo, and Grafana asks there", () => {
  const { receivers, processors, exporters, service } = settings("otel-collector.yaml");
  const { traces, ...others } = service.pipelines;
  expect(others).toEqual({});
  for (const name of traces.receivers) expect(receivers).toHaveProperty(name);
  for (const name of traces.processors) expect(processors).toHaveProperty(name);
  const documented = readFileSync(join(repository, "docs", "telemetry.md"), "utf8");
  const port = receivers.otlp.protocols.http.endpoint.split(":")[1];
  expect(documented).toContain(`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://otel-collector:${port}/v1/traces`);

  const tempo = settings("tempo.yaml");
  const [exporter] = traces.exporters;
  const tempoPort = tempo.distributor.receivers.otlp.protocols.http.endpoint.split(":")[1];
  expect(exporters[exporter].endpoint).toBe(`http://tempo:${tempoPort}`);
  const { datasources } = settings("grafana/datasources.yaml");
  const urls = datasources.map(({ type, url }: Record<string, string>) => [type, url]);
  expect(urls).toEqual([
    ["prometheus", "http://prometheus:9090"],
    ["tempo", `http://tempo:${tempo.server.http_listen_port}`],
  ]);
});

test("Grafana has every dashboard, and each of their data sources is provisioned", () => {
  const { providers } = settings("grafana/dashboards.yaml");
  const dir = mountsOf("grafana").get(providers[0].options.path)!;
  expect(dir).toBe(join(deployDir, "dashboards"));
  const { datasources } = settings("grafana/datasources.yaml") as {
    datasources: { uid: string; type: string }[];
  };
  for (const name of readdirSync(dir)) {
    const { panels, templating } = JSON.parse(readFileSync(join(dir, name), "utf8")) as {
      panels: { datasource: { type: string; uid: string } }[];
      templating: { list: { name: string; type: string; query: string }[] };
    };
    for (const { datasource } of panels) {
      const chosen = templating.list.find((variable) => datasource.uid === `\${${variable.name}}`);
      const found = datasources.filter(({ uid, type }) =>
        chosen ? type === chosen.query : uid === datasource.uid,
      );
      expect(found, `${name}: ${datasource.uid}`).toEqual([
        expect.objectContaining({ type: datasource.type }),
      ]);
    }
  }
});

type ScrapeConfig = {
  job_name: string;
  dns_sd_configs: { names: string[]; port: number }[];
  relabel_configs: { target_label: string; source_labels?: string[]; regex?: string; replacement?: string }[];
};

/** The labels that a target gets, by the rules of this file: each replaces a label, by a text or by the job. */
function labelsOf({ job_name: job, relabel_configs }: ScrapeConfig): Record<string, string> {
  const labels: Record<string, string> = { job };
  for (const { target_label, source_labels = [], regex = ".*", replacement } of relabel_configs) {
    const value = source_labels.map((name) => labels[name]).join(";");
    if (new RegExp(`^(?:${regex})$`).test(value)) labels[target_label] = replacement ?? value;
  }
  return labels;
}

test("Prometheus scrapes each service's health port, under the labels that the alerts ask for", () => {
  const { scrape_configs } = settings("prometheus.yaml") as { scrape_configs: ScrapeConfig[] };
  const health = Number(
    /HEALTH_PORT=(\d+) HEALTH_PATH=\/readyz/.exec(readFileSync(join(repository, "Dockerfile"), "utf8"))?.[1],
  );
  const scraped = scrape_configs.map(({ job_name, dns_sd_configs }) => [
    job_name,
    dns_sd_configs.map(({ names, port }) => `${names.join()}:${port}`),
  ]);
  expect(Object.fromEntries(scraped)).toEqual(
    Object.fromEntries(
      // The gateway is a process for each listener.
      [
        ...readdirSync(join(repository, "services")),
        "gateway-operator",
        "gateway-public",
        "gateway-staff",
      ].map((name) => [name, [`${name}:${health}`]]),
    ),
  );
  const rule = readFileSync(
    join(repository, "deploy/k8s/components/monitoring/prometheus-rule.yaml"),
    "utf8",
  );
  const asked = [...rule.matchAll(/absent\(up\{namespace="(\w+)", app_kubernetes_io_name="([\w-]+)"\}\)/g)];
  expect(asked.length).toBeGreaterThan(0);
  const given = scrape_configs
    .map(labelsOf)
    .map((labels) => `${labels["namespace"]} ${labels["app_kubernetes_io_name"]}`);
  expect(given.toSorted()).toEqual(asked.map(([, namespace, name]) => `${namespace} ${name}`).toSorted());
});

/** Makes the rules as the container does before it starts Prometheus. */
async function makeRules(): Promise<{ dir: string; rules: string }> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-observability-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const mounts = mountsOf("prometheus");
  const rules = join(dir, "rules.yaml");
  const start = mounts.get("/etc/prometheus/start-prometheus.sh")!;
  const resource = mounts.get("/etc/prometheus/prometheus-rule.yaml")!;
  const { stdout } = await promisify(execFile)("/bin/sh", [start, resource, rules, "echo", "started"]);
  expect(stdout).toBe("started\n");
  return { dir, rules };
}

test("Prometheus loads the alerts of Kubernetes, all of them", async () => {
  const { rules } = await makeRules();
  const { spec } = read("deploy", "k8s", "components", "monitoring", "prometheus-rule.yaml");
  expect(parse(readFileSync(rules, "utf8"))).toEqual(spec);
  const [, written] = (services["prometheus"] as unknown as { command: string[] }).command;
  expect(settings("prometheus.yaml").rule_files).toEqual([written]);
});

test.runIf(await canHavePromtool())("promtool accepts Prometheus' configuration with its rules", async () => {
  const { dir, rules } = await makeRules();
  const config = readFileSync(mountsOf("prometheus").get("/etc/prometheus/prometheus.yaml")!, "utf8");
  const file = join(dir, "prometheus.yaml");
  writeFileSync(file, config.replace("/tmp/rules.yaml", rules));
  const [program = ""] = await findPromtool();
  const { stdout } = await promisify(execFile)(program, ["check", "config", "--lint-fatal", file]);
  const groups = parse(readFileSync(rules, "utf8")).groups as { rules: object[] }[];
  expect(stdout).toMatch(/1 rule files found[^]*is valid/);
  expect(stdout).toContain(`${groups.flatMap((group) => group.rules).length} rules found`);
});
