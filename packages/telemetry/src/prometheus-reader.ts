import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import type { MetricReader } from "@opentelemetry/sdk-metrics";
import { setPrometheusSource } from "./prometheus.ts";

/** Collects for `/metrics` on request. The health port answers it, not a server of the exporter's. */
export function prometheusReader(): MetricReader {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer();
  setPrometheusSource(async () => {
    const { resourceMetrics } = await reader.collect();
    await resourceMetrics.resource.waitForAsyncAttributes?.();
    return serializer.serialize(resourceMetrics);
  });
  return reader;
}
