// The metrics that the programs have, with their labels, read from their sources.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGE_SECONDS, CALL_SECONDS } from "@holdfast/telemetry";
import { deployDir } from "./build-overlay.ts";
import { alternatives, selectorsOf, type Matcher } from "./selectors.ts";

const repository = join(deployDir, "..");

/** A series that a rule records. */
export type Recorded = { record: string; expr: string; labels?: Record<string, string> };

/** Lists the faults of the series that expressions ask for: each of them makes an alert silent forever. */
export function faultsOfSeries(expressions: string[], recorded: readonly Recorded[]): string[] {
  return expressions.flatMap((expression) => [
    ...selectorsOf(expression).flatMap(({ metric, matchers, grouped }) => {
      const known = metricOf(metric, recorded);
      if (!known) return [metric];
      return [
        ...[...matchers.map(({ label }) => label), ...grouped]
          .filter((label) => !known.labels.has(label) && !(known.isOurs && SCRAPED.has(label)))
          .map((label) => `${metric}: no label ${label}`),
        ...matchers.flatMap((matcher) => faultsOfValue(known, matcher).map((fault) => `${metric}: ${fault}`)),
      ];
    }),
    ...faultsOfQuantiles(expression),
  ]);
}

/** Labels of every series that is scraped from our pods. */
const SCRAPED: ReadonlySet<string> = new Set(["namespace", "pod", "app_kubernetes_io_name"]);

type Metric = {
  isOurs: boolean;
  labels: ReadonlySet<string>;
  values?: ReadonlySet<string>;
  bounds?: number[];
};

function metricOf(name: string, recorded: readonly Recorded[]): Metric | undefined {
  const own = metricsOfTheSources().get(name);
  if (own) return own;
  const foreign = FOREIGN[name];
  if (foreign) return { isOurs: false, labels: new Set(foreign) };
  const rules = recorded.filter(({ record }) => record === name);
  if (rules.length === 0) return undefined;
  const labels = rules.map((rule) => rule.labels ?? {});
  return {
    isOurs: false,
    // Prometheus may add the namespace that it evaluates a rule for.
    labels: new Set(["namespace", ...labels.flatMap((each) => Object.keys(each))]),
    values: new Set(labels.flatMap((each) => Object.values(each))),
  };
}

/**
 * A bound is asked for as both versions of Prometheus store it: `le="20"` of a program is `20.0` in Prometheus 3, and
 * one that a histogram does not have is in no series.
 */
function faultsOfValue({ values, bounds }: Metric, { label, operator, value }: Matcher): string[] {
  const patterns = operator.endsWith("~") ? alternatives(value) : [value.replaceAll(".", "[.]")];
  const matches = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`).test(text);
  if (label === "le") {
    const stored = bounds?.map((bound) => [`${bound}`, Number.isInteger(bound) ? `${bound}.0` : `${bound}`]);
    const isAsked = stored?.some((forms) =>
      forms.every((form) => patterns.some((pattern) => matches(pattern, form))),
    );
    return isAsked ? [] : [`le ${value} is not a bound in the forms of Prometheus 2 and 3`];
  }
  if (!values || SCRAPED.has(label)) return [];
  return patterns
    .filter((pattern) => pattern !== "" && ![...values].some((known) => matches(pattern, known)))
    .map((pattern) => `${label} is never ${pattern}`);
}

/** A quantile is never above the last bound. */
function faultsOfQuantiles(expression: string): string[] {
  const asked = /histogram_quantile\(.*?(\w+_bucket)\b.*\) > (\d+)/.exec(expression);
  if (!asked) return [];
  const [, metric = "", threshold] = asked;
  const last = metricsOfTheSources().get(metric)?.bounds?.at(-1) ?? 0;
  return last > Number(threshold) ? [] : [`${metric}: no quantile is above ${threshold}`];
}

/** Filters names in a text for unknown ones: a histogram may go by its own name there. */
export function unknownNames(names: string[]): string[] {
  return names.filter((name) => !metricOf(name, []) && !metricOf(`${name}_count`, []));
}

let known: Map<string, Metric> | undefined;

/**
 * Metrics in Prometheus' form: dots become underscores, the unit follows a name that does not end in it, and
 * counters end in `_total`.
 */
function metricsOfTheSources(): Map<string, Metric> {
  return (known ??= new Map(sourceFiles().flatMap((file) => metricsOfFile(file))));
}

/** Names as the programs write them, such as `holdfast.payments`. */
export function instrumentNames(): string[] {
  return sourceFiles().flatMap((file) =>
    instrumentsIn(sourceOf(file)).flatMap(({ 2: name = "" }) => spelled(name)),
  );
}

function sourceFiles(): string[] {
  return globSync("{services,packages,tools}/*/src/**/*.ts", { cwd: repository }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
}

const instrumentsIn = (source: string) => [
  ...source.matchAll(/create(?:Observable)?(Counter|Gauge|Histogram)\(\s*["`]([a-z]+\.[\w.]+)/g),
  // Some histograms are made by functions of their own.
  ...source.matchAll(/\b(seconds|lazyHistogram)\((?:\s*"[\w-]+",)?\s*"([a-z]+\.[\w.]+)"/g),
];

/** The event loop's delay has a gauge for each quantile. */
const spelled = (name: string) =>
  name.endsWith(".") ? ["p50", "p99", "max"].map((quantile) => `${name}${quantile}`) : [name];

function metricsOfFile(file: string): [string, Metric][] {
  const source = sourceOf(file);
  const made = instrumentsIn(source);
  if (made.length === 0) return [];
  const values = literalsOf(sourcesBehind(file));
  const labels = new Set(
    // Keys of objects, also in shorthand.
    [...source.matchAll(/(?<=[{,(]\s*)(?:"([\w.]+)"|(\w+))(?=\s*[:,}])/g)].map(([, quoted, bare]) =>
      (quoted ?? bare!).replaceAll(".", "_"),
    ),
  );
  const metric = { isOurs: true, labels, values };
  return made.flatMap(({ 1: kind, 2: name = "", index }): [string, Metric][] => {
    const named = (one: string) => withUnit(one.replaceAll(".", "_"), unitOf(source.slice(index), kind));
    if (name.endsWith(".")) return spelled(name).map((one) => [named(one), metric]);
    const base = named(name);
    if (kind === "Counter") return [[`${base}_total`, metric]];
    if (kind === "Gauge") return [[base, metric]];
    const bounds = /^\w+\([^)]*\bAGE_SECONDS\b/.test(source.slice(index)) ? AGE_SECONDS : CALL_SECONDS;
    return [
      [`${base}_bucket`, { ...metric, bounds, labels: new Set([...labels, "le"]) }],
      [`${base}_count`, metric],
      [`${base}_sum`, metric],
    ];
  });
}

/** A name that ends in its unit stays, as in `prometheus-reader.ts`. */
function withUnit(name: string, unit: string): string {
  return name.endsWith(unit) ? name : `${name}_${unit}`;
}

/** @param source from where the instrument is made. */
function unitOf(source: string, kind: string | undefined): string {
  // Functions that make histograms have seconds only.
  if (kind === "seconds" || kind === "lazyHistogram") return "seconds";
  const [, unit = ""] = /unit: "(\w+)"/.exec(source.slice(0, source.indexOf("})") + 1)) ?? [];
  return { s: "seconds", By: "bytes", "1": "ratio" }[unit] ?? "";
}

function sourceOf(file: string): string {
  return readFileSync(join(repository, file), "utf8");
}

/** A file with all that it imports of its own package, and the packages that these name. */
function sourcesBehind(file: string): string[] {
  const files = new Set([file]);
  const packages = new Set<string>();
  for (const one of files) {
    for (const [, path = ""] of sourceOf(one).matchAll(/from "(\.[^"]+)"/g))
      files.add(join(dirname(one), path));
    for (const [, name = ""] of sourceOf(one).matchAll(/from "@holdfast\/([\w-]+)/g)) packages.add(name);
  }
  for (const name of packages) {
    for (const one of globSync(`packages/${name}/src/**/*.ts`, { cwd: repository })) files.add(one);
  }
  return [...files].filter((one) => !one.endsWith(".test.ts"));
}

function literalsOf(files: string[]): Set<string> {
  return new Set(
    files.flatMap((file) =>
      [...sourceOf(file).matchAll(/"([^"\n]*)"|\b(\d{3})\b/g)].map(([, text, number]) => text ?? number!),
    ),
  );
}

/** Foreign metrics and their labels; docs/runbook/README.md names their sources. */
const FOREIGN: Readonly<Record<string, string[]>> = {
  up: ["namespace", "app_kubernetes_io_name", "pod"],
  ALERTS: ["alertname", "alertstate", "slo"],
  kube_cronjob_created: ["namespace", "cronjob"],
  kube_cronjob_status_last_successful_time: ["namespace", "cronjob"],
  kube_deployment_status_replicas_available: ["namespace", "deployment"],
  kube_job_failed: ["namespace", "job_name", "condition"],
  kube_job_status_failed: ["namespace", "job_name", "reason"],
  kube_pod_container_status_restarts_total: ["namespace", "pod", "container"],
  kube_statefulset_status_replicas_ready: ["namespace", "statefulset"],
  kubelet_volume_stats_available_bytes: ["namespace", "persistentvolumeclaim"],
  kubelet_volume_stats_capacity_bytes: ["namespace", "persistentvolumeclaim"],
  container_cpu_usage_seconds_total: ["namespace", "pod", "container"],
  container_memory_working_set_bytes: ["namespace", "pod", "container"],
  certmanager_certificate_expiration_timestamp_seconds: ["namespace", "exported_namespace", "name"],
  cnpg_backends_max_tx_duration_seconds: ["namespace", "pod", "datname", "usename", "state"],
  cnpg_backends_total: ["namespace", "pod", "datname", "usename", "state"],
  cnpg_collector_up: ["namespace", "pod"],
  cnpg_pg_database_xid_age: ["namespace", "pod", "datname"],
  cnpg_pg_replication_lag: ["namespace", "pod"],
  cnpg_pg_replication_streaming_replicas: ["namespace", "pod"],
  cnpg_pg_settings_setting: ["namespace", "pod", "name"],
  cnpg_pg_stat_archiver_last_archived_time: ["namespace", "pod"],
  cnpg_pg_stat_archiver_last_failed_time: ["namespace", "pod"],
  barman_cloud_cloudnative_pg_io_last_available_backup_timestamp: ["namespace", "pod"],
  otel_sdk_processor_span_processed_total: ["namespace", "error_type"],
};
