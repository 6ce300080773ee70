import { randomFillSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { hidesCardNumber } from "@holdfast/contracts";

/** W3C trace context (https://www.w3.org/TR/trace-context/) of one request, as the gateway passes it on. */
export type TraceContext = {
  traceId: string;
  /** The id of the gateway's own span. */
  spanId: string;
  /** The request's trace, with the gateway's own span as the parent. */
  traceparent: string;
};

/**
 * The client's header, so that its trace is continued. Ids are logged and leave with the spans, so an id that
 * looks like a card number is not accepted; some 4 in 1 000 random ids do, and begin another trace.
 */
export function clientTraceparent({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || hidesCardNumber(`${traceId}${parentId}`) ? undefined : traceparent;
}

/** Continues the trace of {@link clientTraceparent}, else begins one. It is for requests without a span. */
export function readTraceContext(traceparent: string | undefined): TraceContext {
  const given = TRACEPARENT.exec(traceparent ?? "");
  const random = randomHex();
  const traceId = given?.[1] ?? random.slice(16);
  const spanId = random.slice(0, 16);
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${given?.[3] ?? SAMPLED}` };
}

/** Version 00; ids of zeros are invalid. Several headers arrive joined, so they match nothing. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

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
