import { randomUUID } from "node:crypto";
import { context, diag, DiagLogLevel, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { defaultResource, resourceFromAttributes, type Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  MeterProvider,
  MetricReader,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { observeProcess } from "./process-metrics.ts";
import { setPrometheusSource } from "./prometheus.ts";
import { endpointsOf, type TelemetrySettings } from "./telemetry-settings.ts";

export type Telemetry = {
  /** Sends what waits, for at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type TelemetryOptions = {
  /** The process's name, and so `service.name`. */
  name: string;
  /** Takes requests from outside, whose wish to be sampled is not ours to grant. */
  isEdge: boolean;
  settings: TelemetrySettings;
  /** Told, at most once a minute, that telemetry does not get through. */
  onTrouble: (what: string) => void;
};

/**
 * Starts what of OpenTelemetry is asked for. Metrics are always kept, for `/metrics`; spans, and the SDK that makes
 * them, only with somebody to send them to. A collector that is down, slow or broken fills a bounded queue and nothing
 * else: no call of a payment waits for it.
 */
export async function startTelemetry({
  name,
  isEdge,
  settings,
  onTrouble,
}: TelemetryOptions): Promise<Telemetry> {
  // Without it no log line would know its trace, whether or not there are spans.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  if (settings.OTEL_SDK_DISABLED === "true") return { stop: async () => {} };
  reportTrouble(onTrouble);
  const endpoints = endpointsOf(settings);
  const resource = describeProcess(name, settings);

  const prometheus = new PullReader();
  const readers: MetricReader[] = [prometheus];
  if (endpoints.metrics !== undefined) readers.push(await otlpMetrics(endpoints.metrics, settings));
  const meterProvider = new MeterProvider({ resource, readers });
  metrics.setGlobalMeterProvider(meterProvider);
  const serializer = new PrometheusSerializer();
  setPrometheusSource(async () => serializer.serialize((await prometheus.collect()).resourceMetrics));
  observeProcess();

  const tracing =
    endpoints.traces === undefined
      ? undefined
      : await (
          await import("./start-tracing.ts")
        ).startTracing({ url: endpoints.traces, resource, isEdge, settings, meterProvider });
  if (tracing) trace.setGlobalTracerProvider(tracing);

  return {
    async stop(timeoutMs) {
      const stopped = Promise.allSettled([tracing?.shutdown(), meterProvider.shutdown()]);
      // A collector that hangs would hold the process beyond its grace.
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())]);
    },
  };
}

function describeProcess(name: string, settings: TelemetrySettings): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      "service.name": settings.OTEL_SERVICE_NAME ?? name,
      "service.namespace": settings.OTEL_RESOURCE_ATTRIBUTES["service.namespace"] ?? "holdfast",
      "service.instance.id": settings.OTEL_RESOURCE_ATTRIBUTES["service.instance.id"] ?? randomUUID(),
    }),
  );
}

async function otlpMetrics(url: string, settings: TelemetrySettings): Promise<MetricReader> {
  const { OTLPMetricExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  const exportTimeoutMillis = Math.min(
    settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    settings.OTEL_METRIC_EXPORT_INTERVAL,
  );
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({
      url,
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
      timeoutMillis: exportTimeoutMillis,
    }),
    exportIntervalMillis: settings.OTEL_METRIC_EXPORT_INTERVAL,
    exportTimeoutMillis,
  });
}

/** Collects when it is asked to. */
class PullReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The SDK's complaints hold the collector's address and its answers; the log gets the first word of it. */
function reportTrouble(onTrouble: (what: string) => void): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  const report = () => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + REPORT_INTERVAL_MS;
    onTrouble("export_failed");
  };
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const REPORT_INTERVAL_MS = 60_000;
