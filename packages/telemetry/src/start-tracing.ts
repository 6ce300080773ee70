import type { MeterProvider } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  createAlwaysRecordSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import { TailSamplingProcessor } from "./tail-sampling-processor.ts";
import type { TelemetrySettings } from "./telemetry-settings.ts";

export type TracingOptions = {
  url: string;
  resource: Resource;
  isEdge: boolean;
  settings: TelemetrySettings;
  meterProvider: MeterProvider;
};

/** Loaded only where spans have somewhere to go. */
export async function startTracing({
  url,
  resource,
  isEdge,
  settings,
  meterProvider,
}: TracingOptions): Promise<TracerProvider> {
  const { OTLPTraceExporter } =
    settings.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  const exporting = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({
      url,
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
      timeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    }),
    scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
    maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: Math.min(settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, settings.OTEL_BSP_MAX_QUEUE_SIZE),
    exportTimeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT + 1_000,
    selfObsMeterProvider: meterProvider,
  });
  const tail = new TailSamplingProcessor({
    exporting,
    slowAfterMs: settings.TRACE_SLOW_AFTER,
    keptPerSecondMax: settings.TRACE_KEPT_PER_SECOND_MAX,
  });
  return new TracerProvider({
    resource,
    sampler:
      settings.OTEL_TRACES_SAMPLER === "always_off"
        ? new AlwaysOffSampler()
        : // What the ratio does not choose is recorded too: how it ends may still make it worth keeping.
          createAlwaysRecordSampler(samplerOf(settings, isEdge)),
    spanProcessors: [tail],
    // A statement links to each of the payments it serves.
    spanLimits: { linkCountLimit: LINKS_MAX },
  });
}

/** The largest batch holds 200. */
const LINKS_MAX = 256;

function samplerOf(settings: TelemetrySettings, isEdge: boolean): Sampler {
  const ratio = new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG);
  const name = settings.OTEL_TRACES_SAMPLER ?? (isEdge ? "traceidratio" : "parentbased_traceidratio");
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return ratio;
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: ratio });
    default:
      return name satisfies never;
  }
}
