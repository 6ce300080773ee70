import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { formatTraceparent, linksTo, parseTraceparent, remoteContext } from "./traceparent.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

test("a header names a span of another process, and comes out as it went in", () => {
  const header = `00-${TRACE_ID}-${SPAN_ID}-01`;
  expect(parseTraceparent(header)).toEqual({
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    traceFlags: 1,
    isRemote: true,
  });
  expect(formatTraceparent(parseTraceparent(header)!)).toBe(header);
  expect(trace.getSpanContext(remoteContext(header))).toMatchObject({ spanId: SPAN_ID });
  expect(linksTo(header)).toMatchObject([{ context: { traceId: TRACE_ID } }]);
});

test("of the flags only the one for sampled is passed on", () => {
  expect(formatTraceparent(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-fe`)!)).toMatch(/-00$/);
});

test.each([
  undefined,
  null,
  "",
  "00-trace",
  `01-${TRACE_ID}-${SPAN_ID}-01`,
  `00-${"0".repeat(32)}-${SPAN_ID}-01`,
  `00-${TRACE_ID}-${"0".repeat(16)}-01`,
  `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
  `00-${TRACE_ID}-${SPAN_ID}-01-more`,
  `00-${TRACE_ID}-${SPAN_ID}-01, 00-${TRACE_ID}-${SPAN_ID}-01`,
])("%s names no span", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
  expect(remoteContext(header)).toBe(ROOT_CONTEXT);
  expect(linksTo(header)).toEqual([]);
});
