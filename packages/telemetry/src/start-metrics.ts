import { context, metrics } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { detectResources } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { describeProcess, DETECTORS } from "./describe-process.ts";
import { prometheusReader } from "./prometheus-reader.ts";

/** Without a collector: the one part of the SDK that `/metrics` needs. @returns what ends it */
export function startMetrics(name: string): () => Promise<void> {
  // No log line would know its trace without it.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const resource = describeProcess(name).merge(detectResources({ detectors: DETECTORS }));
  const meterProvider = new MeterProvider({ resource, readers: [prometheusReader()] });
  metrics.setGlobalMeterProvider(meterProvider);
  return () => meterProvider.shutdown();
}
