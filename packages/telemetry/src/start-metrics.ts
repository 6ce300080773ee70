import { context, metrics } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { detectResources } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { describeProcess, DETECTORS } from "./describe-process.ts";
import { prometheusReader } from "./prometheus-reader.ts";

/** Starts the one part of the SDK that `/metrics` needs, without a collector. @returns a function that ends it */
export function startMetrics(name: string): () => Promise<void> {
  // Log lines would not know their trace without it.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const resource = describeProcess(name).merge(detectResources({ detectors: DETECTORS }));
  const meterProvider = new MeterProvider({ resource, readers: [prometheusReader()] });
  metrics.setGlobalMeterProvider(meterProvider);
  return () => meterProvider.shutdown();
}
