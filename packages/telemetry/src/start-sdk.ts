import { metrics } from "@opentelemetry/api";
import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { PeriodicExportingMetricReader, type MetricReader } from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { describeProcess, DETECTORS } from "./describe-process.ts";
import { prometheusReader } from "./prometheus-reader.ts";
import { isExported, protocolOf, type TelemetrySettings } from "./telemetry-settings.ts";
import { tracing } from "./tracing.ts";

/**
 * Starts OpenTelemetry's SDK. The SDK and its exporters read the environment themselves; `telemetrySettings`
 * has refused values that they would silently ignore. Some of their defaults are overridden: the SDK would
 * also send logs, send each signal to `localhost` by default, and drop traces by the ratio before their end
 * is known.
 *
 * @returns a function that sends the waiting data, and ends the SDK
 */
export function startSdk(name: string, isEdge: boolean, settings: TelemetrySettings): () => Promise<void> {
  // With this variable the SDK writes the collector's address and its answers to standard output, between the
  // lines of the log.
  delete process.env["OTEL_LOG_LEVEL"];
  const traces = isExported("TRACES", settings) ? tracing(isEdge, settings) : undefined;
  const sdk = new NodeSDK({
    resource: describeProcess(name),
    // The SDK itself finds detectors that the environment names.
    ...(settings.OTEL_NODE_RESOURCE_DETECTORS === undefined && { resourceDetectors: DETECTORS }),
    metricReaders: [prometheusReader(), ...(isExported("METRICS", settings) ? [otlpMetrics(settings)] : [])],
    spanProcessors: [],
    ...traces?.configuration,
    // Logs go to standard output.
    logRecordProcessors: [],
    // Our own code writes and reads the header that carries a trace; see `traceparent.ts`.
    textMapPropagator: null,
  });
  sdk.start();
  traces?.beginExport(metrics.getMeterProvider());
  return () => sdk.shutdown();
}

function otlpMetrics(settings: TelemetrySettings): MetricReader {
  const isJson = protocolOf("METRICS", settings) === "http/json";
  const exportIntervalMillis = settings.OTEL_METRIC_EXPORT_INTERVAL;
  return new PeriodicExportingMetricReader({
    exporter: isJson ? new JsonMetricExporter() : new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(settings.OTEL_EXPORTER_OTLP_TIMEOUT, exportIntervalMillis),
  });
}
