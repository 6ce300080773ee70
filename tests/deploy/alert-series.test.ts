// A rule that asks for a series that nobody exports is silent, and looks like health.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { deployDir } from "./build-overlay.ts";
import { faultsOfSeries, instrumentNames, unknownNames, type Recorded } from "./known-metrics.ts";
import { selectorsOf } from "./selectors.ts";

const repository = join(deployDir, "..");
const read = (file: string) => readFileSync(join(repository, file), "utf8");

type Rule = Partial<Recorded> & { expr: string };
const rules = globSync("deploy/k8s/components/*/prometheus-rule.yaml", { cwd: repository }).flatMap(
  (file) => {
    const { spec } = parse(read(file)) as { spec: { groups: { rules: Rule[] }[] } };
    return spec.groups.flatMap((group) => group.rules);
  },
);
const recorded = rules.filter((rule): rule is Recorded => rule.record !== undefined);
const faultsOf = (...expressions: string[]) => faultsOfSeries(expressions, recorded);

test("each series that a rule asks for is one that the programs export", () => {
  expect(rules.length).toBeGreaterThan(70);
  expect(rules.flatMap(({ expr }) => selectorsOf(expr)).length).toBeGreaterThan(110);
  expect(faultsOf(...rules.map(({ expr }) => expr))).toEqual([]);
});

test.each([
  ["rate(holdfast_payments_lost_total[5m]) > 0", "holdfast_payments_lost_total"],
  ["holdfast:slo_lost:rate5m > 1", "holdfast:slo_lost:rate5m"],
  ['holdfast:slo_bad:rate5m{slo="lost"} > 1', "holdfast:slo_bad:rate5m: slo is never lost"],
  // A histogram is asked by its parts.
  ["rate(holdfast_webhooks_attempt_duration_seconds[5m]) > 1", "holdfast_webhooks_attempt_duration_seconds"],
  [
    'max(holdfast_refunds_oldest_age_seconds{wait="bank"})',
    "holdfast_refunds_oldest_age_seconds: no label wait",
  ],
  [
    'max(holdfast_refunds_oldest_age_seconds{waits="nobody"})',
    "holdfast_refunds_oldest_age_seconds: waits is never nobody",
  ],
  ['up{node="a"} == 0', "up: no label node"],
  ["sum by (bank) (rate(holdfast_acquirer_calls_total[5m]))", "holdfast_acquirer_calls_total: no label bank"],
  [
    'sum(rate(holdfast_acquirer_calls_total{result=~"unknown|lost"}[5m])) > 1',
    "holdfast_acquirer_calls_total: result is never lost",
  ],
  // A name that ends in its unit does not get it again.
  ["max(holdfast_event_stream_bytes_bytes) > 1", "holdfast_event_stream_bytes_bytes"],
  // Prometheus 3 writes 20.0 where a program wrote 20.
  [
    'rate(http_server_request_duration_seconds_bucket{le="20"}[5m])',
    "http_server_request_duration_seconds_bucket: le 20 is not a bound in the forms of Prometheus 2 and 3",
  ],
  [
    'rate(http_server_request_duration_seconds_bucket{le=~"30|30[.]0"}[5m])',
    "http_server_request_duration_seconds_bucket: le 30|30[.]0 is not a bound in the forms of Prometheus 2 and 3",
  ],
  [
    "histogram_quantile(0.9, sum by (le) (rate(http_server_request_duration_seconds_bucket[5m]))) > 20",
    "http_server_request_duration_seconds_bucket: no quantile is above 20",
  ],
])("%s can never be true", (expression, fault) => {
  expect(faultsOf(expression)).toEqual([fault]);
});

test("each series that a dashboard shows is one that the programs export", () => {
  const files = globSync("deploy/dashboards/*.json", { cwd: repository });
  expect(files.length).toBeGreaterThan(5);
  const shown = files.flatMap((file) => {
    const { panels } = JSON.parse(read(file)) as { panels: { targets: { expr: string }[] }[] };
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  });
  expect(faultsOf(...shown)).toEqual([]);
});

test("each query of a dashboard asks for the installation that is chosen", () => {
  for (const file of globSync("deploy/dashboards/*.json", { cwd: repository })) {
    const { panels, templating } = JSON.parse(read(file)) as {
      panels: { targets: { expr: string }[] }[];
      templating: { list: { name: string; query: string }[] };
    };
    expect(templating.list.at(-1)).toMatchObject({
      name: "namespace",
      query: "label_values(holdfast_build_info, namespace)",
    });
    const selectors = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => selectorsOf(expr)));
    for (const { metric, matchers } of selectors) {
      // Recorded series have the label only where Prometheus adds it.
      const value = metric.includes(":") ? "$namespace|" : "$namespace";
      expect([file, metric, matchers]).toEqual([
        file,
        metric,
        expect.arrayContaining([{ label: "namespace", operator: "=~", value }]),
      ]);
    }
  }
});

/** Metrics that a page names in code, and a query that it gives. */
function metricsOfPage(text: string): { names: string[]; queries: string[] } {
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one.replace("…", ""));
  const asks = code.filter((one) =>
    /\b(holdfast|http_server|db_client|messaging|nodejs|process)_[a-z_]+\b/.test(one),
  );
  return {
    names: asks.filter((one) => /^[a-z_]+(\{[^}]*\})?$/.test(one)).map((one) => one.replace(/\{.*/, "")),
    queries: asks.filter((one) => /^[a-z_ ]+\(/.test(one)),
  };
}

test("what people read names metrics that the programs have", () => {
  const pages = [...globSync("docs/runbook/*.md", { cwd: repository }), "docs/slo.md", "docs/telemetry.md"];
  const asked = pages.map((page) => metricsOfPage(read(page)));
  expect(asked.flatMap(({ names }) => names).length).toBeGreaterThan(10);
  expect(unknownNames(asked.flatMap(({ names }) => names))).toEqual([]);
  expect(faultsOf(...asked.flatMap(({ queries }) => queries))).toEqual([]);
  const wrong = metricsOfPage(
    '`holdfast_webhooks_lost`, `holdfast_refunds_oldest_age_seconds{waits="bank"}`, `rate(holdfast_webhooks_lost_total[5m])`',
  );
  expect(unknownNames(wrong.names)).toEqual(["holdfast_webhooks_lost"]);
  expect(faultsOf(...wrong.queries)).toEqual(["holdfast_webhooks_lost_total"]);
});

/** Names in the first cells of a table: `…age` is the end of another name with the beginning of one in its cell. */
function listedMetrics(table: string): Set<string> {
  const cells = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  return new Set(
    cells.flatMap((names) => {
      const whole = names.filter((name) => !name.startsWith("…"));
      const ends = names.filter((name) => name.startsWith("…")).map((name) => name.replace(/^…\.?/, ""));
      const beginnings = whole.flatMap((name) =>
        name.split(".").map((_, index, parts) => parts.slice(0, index + 1).join(".")),
      );
      return [...whole, ...beginnings.flatMap((beginning) => ends.map((end) => `${beginning}.${end}`))];
    }),
  );
}

test("docs/telemetry.md lists each metric that the programs make", () => {
  const [, table = ""] = read("docs/telemetry.md").split("\n## Metrics\n");
  const listed = listedMetrics(table);
  expect(instrumentNames().length).toBeGreaterThan(60);
  expect(instrumentNames().filter((name) => !listed.has(name))).toEqual([]);
  expect(listedMetrics("| `a.b.c`, `…d` | 1 |").has("a.b.d")).toBe(true);
});
