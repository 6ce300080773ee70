import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import type { MetricData, MetricReader } from "@opentelemetry/sdk-metrics";
import { setPrometheusSource } from "./prometheus.ts";

/** Collects for `/metrics` on request. The health port answers it, not a server of the exporter's. */
export function prometheusReader(): MetricReader {
  const reader = new PrometheusExporter({ preventServerStart: true });
  // Without labels of the scope: a name is in one scope only, and `target_info` has the version.
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  setPrometheusSource(async () => {
    const { resourceMetrics } = await reader.collect();
    await resourceMetrics.resource.waitForAsyncAttributes?.();
    const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnit),
    }));
    return serializer.serialize({ ...resourceMetrics, scopeMetrics });
  });
  return reader;
}

/**
 * Names as every other way into Prometheus writes them, so that its rules and dashboards fit all of them. The
 * exporter leaves the units out (OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility").
 */
function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const suffix = SUFFIXES[unit];
  return suffix === undefined || name.endsWith(suffix)
    ? metric
    : { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${suffix}` } };
}

const SUFFIXES: Readonly<Record<string, string>> = { s: "seconds", By: "bytes", "1": "ratio" };
