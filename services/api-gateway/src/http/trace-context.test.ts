import { expect, test } from "vitest";
import { clientTraceparent, readTraceContext } from "./trace-context.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID = "00f067aa0ba902b7";

test("a client's trace goes on under a span of the gateway's own", () => {
  const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` };
  const { traceId, traceparent } = readTraceContext(clientTraceparent({ headers }));
  expect(traceId).toBe(TRACE_ID);
  expect(traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
  expect(traceparent).not.toContain(PARENT_ID);
});

test.each([
  ["none", undefined],
  ["of zeros", `00-${"0".repeat(32)}-${PARENT_ID}-01`],
  ["with a parent of zeros", `00-${TRACE_ID}-${"0".repeat(16)}-01`],
  ["in upper case", `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
  ["of a version we do not know", `ff-${TRACE_ID}-${PARENT_ID}-01`],
  ["too long", `00-${TRACE_ID}-${PARENT_ID}-01-extra`],
  ["with a card's number for its end", `00-4bf92f3577b34da64111111111111111-${PARENT_ID}-01`],
  ["with a card's number among other digits", `00-00000000411111111111111199999999-${PARENT_ID}-01`],
  ["with a card's number for its parent", `00-${TRACE_ID}-4111111111111111-01`],
  ["with a card's number in both ids", `00-4bf92f3577b34da6a3ce929d41111111-11111111a10ba902-01`],
  ["sent twice", `00-${TRACE_ID}-${PARENT_ID}-01, 00-${TRACE_ID}-${PARENT_ID}-01`],
])("a trace context %s begins a new trace", (_case, traceparent) => {
  const headers = traceparent === undefined ? {} : { traceparent };
  const trace = readTraceContext(clientTraceparent({ headers }));
  expect(trace.traceparent).toMatch(new RegExp(`^00-${trace.traceId}-[0-9a-f]{16}-01$`));
  expect(trace.traceId).not.toBe(TRACE_ID);
  expect(traceparent ?? "").not.toContain(trace.traceId);
  // A span that is recorded continues no other one than the log's.
  expect(clientTraceparent({ headers })).toBeUndefined();
  expect(readTraceContext(clientTraceparent({ headers })).traceId).not.toBe(trace.traceId);
});

test("no two traces or spans are the same", () => {
  const traces = Array.from({ length: 1_000 }, () => readTraceContext(undefined));
  expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(1_000);
  expect(new Set(traces.map(({ traceparent }) => traceparent.split("-")[2])).size).toBe(1_000);
});
