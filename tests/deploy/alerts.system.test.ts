import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { canHavePromtool, findPromtool } from "./find-tool.ts";

const repository = join(deployDir, "..");
type Alert = { alert: string; expr: string; annotations: { runbook_url: string } };
type Recorded = { record: string; expr: string };
const rules = ["monitoring", "monitoring-postgres"].flatMap((component) => {
  const file = join(deployDir, "k8s", "components", component, "prometheus-rule.yaml");
  const { spec } = parse(readFileSync(file, "utf8")) as {
    spec: { groups: { rules: (Alert | Recorded)[] }[] };
  };
  return spec.groups.flatMap((group) => group.rules);
});
const alerts = rules.filter((one): one is Alert => "alert" in one);
const recorded = rules.filter((one): one is Recorded => "record" in one);
const { tests, ...settings } = parse(
  readFileSync(join(import.meta.dirname, "alerts.promtool.yaml"), "utf8"),
) as { tests: { name: string }[]; evaluation_interval: string };
const runbook = join(repository, "docs", "runbook");

/**
 * Histograms of seconds without buckets of their own: the SDK's are for milliseconds, and all values fall into the
 * first.
 */
function histogramsWithoutBuckets(source: string): string[] {
  return [...source.matchAll(/createHistogram\(([^]*?)\)[;,\n]/g)]
    .map(([, made = ""]) => made)
    .filter((made) => !made.includes("explicitBucketBoundaries"));
}

test("each histogram says its buckets", () => {
  const sources = globSync("{services,packages}/*/src/**/*.ts", { cwd: repository })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(repository, file), "utf8"));
  expect(sources.join("\n").match(/createHistogram\(/g)!.length).toBeGreaterThan(3);
  expect(sources.flatMap(histogramsWithoutBuckets)).toEqual([]);
  const wrong = 'meter.createHistogram("holdfast.webhooks.accept.lag", { unit: "s" });\n';
  expect(histogramsWithoutBuckets(wrong)).toHaveLength(1);
});

test("the event loop's delay is its longest turn: a share of turns hides one long turn among many", () => {
  const shown = readdirSync(join(deployDir, "dashboards")).flatMap((name) =>
    panelsOf(name).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  );
  const asked = [...shown, ...rules.map(({ expr }) => expr)].join(" ").match(/nodejs_eventloop_delay_\w+/g);
  expect(new Set(asked)).toEqual(new Set(["nodejs_eventloop_delay_max_seconds"]));
});

test("each panel has a unit, a sentence and a place of its own", () => {
  for (const name of readdirSync(join(deployDir, "dashboards"))) {
    const panels = panelsOf(name);
    for (const { title, description, fieldConfig } of panels) {
      expect([name, title, description ?? ""]).toEqual([name, title, expect.stringMatching(/^.{6,}\.$/)]);
      expect([name, title, fieldConfig.defaults.unit]).toEqual([name, title, expect.stringMatching(/./)]);
    }
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  }
});

type Panel = {
  title: string;
  description?: string;
  gridPos: { x: number; y: number };
  fieldConfig: { defaults: { unit?: string } };
  targets: { expr: string }[];
};

function panelsOf(name: string): Panel[] {
  return (JSON.parse(readFileSync(join(deployDir, "dashboards", name), "utf8")) as { panels: Panel[] })
    .panels;
}

/** Lists the faults of an alert's page: none, none of its headings, not in the overview, or another link. */
function faultsOfPage({ alert, annotations }: Alert): string[] {
  const file = join(runbook, `${alert}.md`);
  const page = existsSync(file) ? readFileSync(file, "utf8") : "";
  const overview = readFileSync(join(runbook, "README.md"), "utf8");
  return [
    // An address, so that Alertmanager and Grafana show a link; each installation puts its own place there.
    ...(annotations.runbook_url === `https://runbook.example.com/${alert}.md`
      ? []
      : ["its link leads elsewhere"]),
    ...(overview.includes(`(${alert}.md)`) ? [] : ["it is not in the overview"]),
    ...(/^# .*[^]*## What it means[^]*## What to look at[^]*## What to do/.test(page)
      ? []
      : ["it has no page"]),
  ];
}

test("each alert has its page in the runbook, and each page its alert", () => {
  const pages = readdirSync(runbook).filter((file) => file !== "README.md");
  expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => `${alert}.md`).toSorted());
  for (const one of alerts) expect([one.alert, faultsOfPage(one)]).toEqual([one.alert, []]);
});

test("an alert without a page, or with another's link, is refused", () => {
  const runbook_url = "https://runbook.example.com/HoldfastServiceDown.md";
  const stranger = { alert: "HoldfastStranger", expr: "up", annotations: { runbook_url } };
  expect(faultsOfPage(stranger)).toEqual([
    "its link leads elsewhere",
    "it is not in the overview",
    "it has no page",
  ]);
  const known = { ...stranger, alert: "HoldfastServiceDown", annotations: { runbook_url: "docs/runbook" } };
  expect(faultsOfPage(known)).toEqual(["its link leads elsewhere"]);
});

test("what a page of the runbook looks for in a log is a text that some program logs", () => {
  const sources = globSync("{services,packages,tools}/*/src/**/*.ts", { cwd: repository })
    .map((file) => readFileSync(join(repository, file), "utf8"))
    .join("\n");
  const looked = readdirSync(runbook).flatMap((page) =>
    [...readFileSync(join(runbook, page), "utf8").matchAll(/grep "([^"]+)"/g)].map(([, text]) => text!),
  );
  expect(looked.length).toBeGreaterThan(0);
  expect(looked.filter((text) => !sources.includes(text))).toEqual([]);
});

// Debian's package is the one source of promtool that is known here.
const hasPromtool = await canHavePromtool();

test.runIf(hasPromtool)(
  "each alert fires on its side of the threshold and is silent on the other",
  // Seventeen seconds of one core where nothing else runs.
  { timeout: 900_000 },
  async () => {
    const names = tests.map(({ name }) => name);
    for (const { alert } of alerts) {
      expect(names).toContainEqual(expect.stringMatching(new RegExp(`^${alert} fires`)));
      expect(names).toContainEqual(expect.stringMatching(new RegExp(`^${alert} is silent`)));
    }
    expect(alerts.flatMap(({ alert }) => testsOf(alert))).toHaveLength(tests.length);
    await expect(promtool(alerts)).resolves.toContain("SUCCESS");
  },
);

test.runIf(hasPromtool)("an alert whose threshold is another fails its test", async () => {
  const late = alerts.find(({ alert }) => alert === "HoldfastWebhooksLate")!;
  await expect(promtool([late])).resolves.toContain("SUCCESS");
  const changed = { ...late, expr: late.expr.replace("60", "6000") };
  await expect(promtool([changed])).rejects.toThrow("HoldfastWebhooksLate");
});

/** An alert that asks for recorded series, behind the rules that record them. */
function withRecorded(one: Alert): (Alert | Recorded)[] {
  return recorded.some(({ record }) => one.expr.includes(record)) ? [...recorded, one] : [one];
}

/** The tests of one alert, by the first word of their names. */
function testsOf(alert: string) {
  return tests.filter(({ name }) => name.split(" ")[0] === alert);
}

/** Judges each rule by its own tests alone: promtool evaluates all rules of a file for each test. */
async function promtool(judged: readonly Alert[]): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-alerts-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const files = judged.map((one) => {
    const [ruleFile, testFile] = [`${one.alert}.rules.yaml`, `${one.alert}.tests.yaml`];
    writeFileSync(
      join(dir, ruleFile),
      stringify({ groups: [{ name: "holdfast", rules: withRecorded(one) }] }),
    );
    const ofAlert = { ...settings, rule_files: [ruleFile], tests: testsOf(one.alert) };
    writeFileSync(join(dir, testFile), stringify(ofAlert));
    return testFile;
  });
  const [program = ""] = await findPromtool();
  try {
    const { stdout } = await promisify(execFile)(program, ["test", "rules", ...files], { cwd: dir });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}`, { cause: error });
  }
}
