import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { canHavePromtool, findPromtool } from "./find-tool.ts";

const repository = join(deployDir, "..");
const rule = parse(
  readFileSync(join(deployDir, "k8s", "components", "monitoring", "prometheus-rule.yaml"), "utf8"),
) as { spec: { groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[] } };
const alerts = rule.spec.groups.flatMap(({ rules }) => rules);
const { tests, ...settings } = parse(
  readFileSync(join(import.meta.dirname, "alerts.promtool.yaml"), "utf8"),
) as { tests: { name: string }[]; evaluation_interval: string };
const runbook = join(repository, "docs", "runbook");

/**
 * As OpenTelemetry's serializer for Prometheus writes them: dots are underscores, counters end in `_total`, units are
 * left out.
 */
function metricsOfTheSources(): Set<string> {
  const files = globSync("{services,packages,tools}/*/src/**/*.ts", { cwd: repository });
  const sources = files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(repository, file), "utf8"));
  const meters = sources.flatMap((source) => [
    ...source.matchAll(/create(Counter|Gauge|Histogram)\(\s*"(holdfast\.[\w.]+)"/g),
    // Some histograms are made by functions of their own.
    ...source.matchAll(/\b(seconds|lazyHistogram)\((?:\s*"[\w-]+",)?\s*"(holdfast\.[\w.]+)"/g),
  ]);
  return new Set(
    meters.flatMap(([, kind, name = ""]) => {
      const base = name.replaceAll(".", "_");
      if (kind === "Counter") return [`${base}_total`];
      return kind === "Gauge" ? [base] : [`${base}_bucket`, `${base}_count`, `${base}_sum`];
    }),
  );
}

/** Named in docs/runbook/README.md with who exposes them. */
const OTHERS = /^(up|kube_|kubelet_|certmanager_|container_)/;

function unknownMetrics(expressions: string[]): string[] {
  const known = metricsOfTheSources();
  const used = expressions.flatMap((expression) =>
    [
      ...expression
        .replaceAll(/"[^"]*"/g, "")
        .matchAll(/\b((?:holdfast|kube|kubelet|certmanager|container)_\w+|up)\b(?=[{[)\s]|$)/g),
    ].map(([, name]) => name!),
  );
  expect(used.length).toBeGreaterThan(0);
  return used.filter((name) => !known.has(name) && !OTHERS.test(name));
}

test("alerts ask for metrics that the programs have", () => {
  expect(unknownMetrics(alerts.map(({ expr }) => expr))).toEqual([]);
  expect(unknownMetrics(["rate(holdfast_payments_lost_total[5m])"])).toEqual([
    "holdfast_payments_lost_total",
  ]);
});

test("dashboards ask for metrics that the programs have", () => {
  const names = readdirSync(join(deployDir, "dashboards"));
  expect(names).toEqual(["bank.json", "machine.json", "money.json", "refunds.json", "webhooks.json"]);
  for (const name of names) {
    const { panels } = JSON.parse(readFileSync(join(deployDir, "dashboards", name), "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    expect(unknownMetrics(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))).toEqual([]);
  }
});

test("each alert has its page in the runbook, and each page its alert", () => {
  const pages = readdirSync(runbook).filter((file) => file !== "README.md");
  expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => `${alert}.md`).toSorted());
  const overview = readFileSync(join(runbook, "README.md"), "utf8");
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/runbook/${alert}.md`);
    expect(overview).toContain(`(${alert}.md)`);
    const page = readFileSync(join(repository, annotations.runbook), "utf8");
    expect(page).toMatch(/^# .*[^]*## What it means[^]*## What to look at[^]*## What to do/);
  }
});

// Debian's package is the one source of promtool that is known here.
const hasPromtool = await canHavePromtool();

test.runIf(hasPromtool)(
  "each alert fires on its side of the threshold and is silent on the other",
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

/** The tests of one alert, by the first word of their names. */
function testsOf(alert: string) {
  return tests.filter(({ name }) => name.split(" ")[0] === alert);
}

/** Judges each rule by its own tests: none asks about another, and promtool evaluates all rules of a file for each test. */
async function promtool(rules: readonly { alert: string }[]): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-alerts-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const files = rules.map((one) => {
    const [ruleFile, testFile] = [`${one.alert}.rules.yaml`, `${one.alert}.tests.yaml`];
    writeFileSync(join(dir, ruleFile), stringify({ groups: [{ name: "holdfast", rules: [one] }] }));
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
