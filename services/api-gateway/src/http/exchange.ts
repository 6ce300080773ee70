import { randomUUIDv7 } from "node:crypto";
import { ServerResponse } from "node:http";
import type { OperatorRole, ProblemCode } from "@holdfast/contracts";
import type { SignedInMerchant } from "../merchant/sign-in.ts";
import type { IdempotencyKey } from "./idempotency-key.ts";
import type { ServerSpan } from "./server-span.ts";

/** A person who signed in on the operator API; without a role they may do nothing. */
export type Operator = { subject: string; role: OperatorRole | undefined };

/** What a listener's exchanges share. */
export type ListenerState = {
  /** The listener's name, for the log. */
  readonly name: "merchant" | "operator" | "public";
  /** Answers ask clients to open their next connection to somebody else. */
  draining: boolean;
};

/**
 * One request and its answer, and what the gateway has learned of it so far. The HTTP server makes one for each request
 * in the place of its plain response, so that nothing has to be looked up or wrapped; the log line is written from it.
 */
export class Exchange extends ServerResponse {
  /** Always our own: the client's would let it forge log lines. */
  readonly requestId: string = randomUUIDv7();
  readonly startedAt = performance.now();
  /** Set before anything else sees the exchange. */
  listener!: ListenerState;
  /** The template; the path itself may hold a card number somebody put there. */
  route: string | undefined;
  merchant: SignedInMerchant | undefined;
  operator: Operator | undefined;
  /** The merchant it is about: the one that signed in, or the one an operator names. */
  merchantId: string | undefined;
  paymentId: string | undefined;
  idempotency: IdempotencyKey | undefined;
  /** Of the problem answered with. */
  code: ProblemCode | undefined;
  /** What went wrong on our side. */
  error: unknown;
  /** Set with the listener. */
  trace!: ServerSpan;

  /** Sends the whole answer. Every answer of the gateway goes through here, except to what was not HTTP. */
  answer(status: number, headers: Record<string, string> | undefined, body: string | undefined): void {
    if (this.headersSent || this.destroyed) return;
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    this.writeHead(status, {
      ...commonHeaders(this.requestId),
      ...(this.listener.draining && { Connection: "close" }),
      ...(length !== undefined && { "Content-Type": "application/json", "Content-Length": length }),
      ...headers,
    });
    this.end(body);
  }
}

/** What every answer carries. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
}
