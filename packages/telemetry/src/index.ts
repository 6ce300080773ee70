/**
 * The imports of instrumented code: OpenTelemetry's API without its SDK, which only `start-telemetry.ts`
 * loads.
 */
export * from "./batch-context.ts";
export * from "./duration-buckets.ts";
export * from "./lazy-histogram.ts";
export * from "./prometheus.ts";
export { meterOf } from "./scope.ts";
export * from "./span.ts";
export * from "./start-at-zero.ts";
export * from "./telemetry-settings.ts";
export * from "./time-elsewhere.ts";
export * from "./traceparent.ts";
export * from "./version.ts";
export { context, isSpanContextValid, SpanKind, trace } from "@opentelemetry/api";
export type { Context, Histogram, Span } from "@opentelemetry/api";
