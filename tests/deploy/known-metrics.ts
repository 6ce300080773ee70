// The metrics that the programs have, read from their sources.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deployDir } from "./build-overlay.ts";

const repository = join(deployDir, "..");

/** @param recorded series that rules record @returns metrics in the expressions that no source has */
export function unknownMetrics(expressions: string[], recorded: string[]): string[] {
  const known = metricsOfTheSources();
  const used = expressions.flatMap((expression) =>
    [
      ...expression
        .replaceAll(/"[^"]*"/g, "")
        .replaceAll(/\b(?:by|on|group_left|without) \([^)]*\)|\{[^}]*\}/g, " ")
        .matchAll(/(?<![\w:])([a-z]+(?:_\w+)+|up)\b(?!:)(?=[[)\s]|$)/g),
    ].map(([, name]) => name!),
  );
  const kept = new Set(recorded);
  const asked = expressions.flatMap((expression) => expression.match(/\bholdfast:\w+:\w+/g) ?? []);
  return [
    ...used.filter((name) => !known.has(name) && !OTHERS.test(name)),
    ...asked.filter((name) => !kept.has(name)),
  ];
}

/** Filters names in a text for unknown ones: a histogram may go by its own name there. */
export function unknownNames(names: string[]): string[] {
  const known = metricsOfTheSources();
  return names.filter((name) => !known.has(name) && !known.has(`${name}_count`) && !OTHERS.test(name));
}

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
    ...source.matchAll(/create(?:Observable)?(Counter|Gauge|Histogram)\(\s*["`]([a-z]+\.[\w.]+)/g),
    // Some histograms are made by functions of their own.
    ...source.matchAll(/\b(seconds|lazyHistogram)\((?:\s*"[\w-]+",)?\s*"([a-z]+\.[\w.]+)"/g),
  ]);
  return new Set(
    meters.flatMap(([, kind, name = ""]) => {
      // The event loop's delay has a gauge for each quantile.
      if (name.endsWith(".")) return ["p50", "p99", "max"].map((q) => `${name}${q}`.replaceAll(".", "_"));
      const base = name.replaceAll(".", "_");
      if (kind === "Counter") return [`${base}_total`];
      return kind === "Gauge" ? [base] : [`${base}_bucket`, `${base}_count`, `${base}_sum`];
    }),
  );
}

/** Foreign metrics; docs/runbook/README.md says where they come from. */
const OTHERS = /^(up$|kube_|kubelet_|certmanager_|container_|cnpg_|barman_cloud_|otel_sdk_)/;
