/** Runs the SDK in a test's process, and gives the test the spans. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";

export type SpanRecording = {
  /** Spans that have ended. */
  spans(): ReadableSpan[];
  forget(): void;
  /** Ends the recording. */
  stop(): void;
};

export function recordSpans(): SpanRecording {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    spans: () => exporter.getFinishedSpans(),
    forget: () => exporter.reset(),
    stop() {
      trace.disable();
      context.disable();
    },
  };
}
