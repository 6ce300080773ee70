import { recordSpans } from "@holdfast/telemetry/testing";
import { expect, onTestFinished, test } from "vitest";
import { startServerSpan } from "./server-span.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each([
  ["continues a client's trace", "00f067aa0ba902b7", true],
  ["continues none whose ids hold a card number", "4111111111111111", false],
])("a span that is recorded %s", (_, parentId, isContinued) => {
  const recording = recordSpans();
  onTestFinished(() => recording.stop());
  const headers = { traceparent: `00-${TRACE_ID}-${parentId}-01` };
  const { trace } = startServerSpan({ method: "GET", headers }, "https");
  expect(trace.traceId === TRACE_ID).toBe(isContinued);
});
