import { randomFillSync } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** W3C trace context (https://www.w3.org/TR/trace-context/) of one request, as the gateway sends it along. */
export type TraceContext = {
  traceId: string;
  /** Of the gateway's own span. */
  spanId: string;
  /** The same trace, with the gateway's own span as the parent. */
  traceparent: string;
};

/** Goes on with the client's trace when its header is valid, else begins one: where no spans are made. */
export function readTraceContext(request: Pick<IncomingMessage, "headers">): TraceContext {
  const header = request.headers["traceparent"];
  const given = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  const random = randomHex();
  const traceId = given?.[1] ?? random.slice(16);
  const spanId = random.slice(0, 16);
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${given?.[2] ?? SAMPLED}` };
}

/** Version 00; ids of zeros are invalid. Several headers arrive joined, and so match nothing. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

const SAMPLED = "01";

/** 24 random bytes, of many drawn at once: a draw for each request would be 3 % of what the gateway does for it. */
function randomHex(): string {
  if (drawn === supply.length) {
    randomFillSync(supply);
    drawn = 0;
  }
  return supply.toString("hex", drawn, (drawn += 24));
}

const supply = Buffer.alloc(24 * 256);
let drawn = supply.length;
