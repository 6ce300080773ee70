import type { MeterProvider } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { NodeSDKConfiguration } from "@opentelemetry/sdk-node";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  createAlwaysRecordSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import { TailSamplingProcessor } from "./tail-sampling-processor.ts";
import { protocolOf, type TelemetrySettings } from "./telemetry-settings.ts";

export type Tracing = {
  configuration: Pick<NodeSDKConfiguration, "sampler" | "spanLimits" | "spanProcessors">;
  /**
   * Begins the export. It comes after the SDK's start, which creates the meters that count exported and
   * dropped spans.
   */
  beginExport(meterProvider: MeterProvider): void;
};

/** The SDK's parts that choose, keep and export spans. */
export function tracing(isEdge: boolean, settings: TelemetrySettings): Tracing {
  const tail = new TailSamplingProcessor({
    slowAfterMs: settings.TRACE_SLOW_AFTER,
    keptPerSecondMax: settings.TRACE_KEPT_PER_SECOND_MAX,
  });
  return {
    configuration: {
      sampler:
        settings.OTEL_TRACES_SAMPLER === "always_off"
          ? new AlwaysOffSampler()
          : // Spans that the ratio does not choose are recorded too: their end may still make them worth keeping.
            createAlwaysRecordSampler(samplerOf(isEdge, settings)),
      // A statement links to each of the payments it serves.
      spanLimits: { linkCountLimit: LINKS_MAX },
      spanProcessors: [tail],
    },
    beginExport(meterProvider) {
      tail.exportTo(batchesOf(settings, meterProvider));
    },
  };
}

/** The largest batch holds 200. */
const LINKS_MAX = 256;

function samplerOf(isEdge: boolean, settings: TelemetrySettings): Sampler {
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

function batchesOf(settings: TelemetrySettings, meterProvider: MeterProvider): BatchSpanProcessor {
  const isJson = protocolOf("TRACES", settings) === "http/json";
  return new BatchSpanProcessor({
    exporter: isJson ? new JsonTraceExporter() : new OTLPTraceExporter(),
    scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
    maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: Math.min(settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, settings.OTEL_BSP_MAX_QUEUE_SIZE),
    exportTimeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT + 1_000,
    selfObsMeterProvider: meterProvider,
  });
}
