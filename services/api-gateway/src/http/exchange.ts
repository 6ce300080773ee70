import { randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  MerchantSettings,
  MessageContext,
  ProblemCode,
  VerifiedOperator,
  VerifiedStaff,
} from "@holdfast/contracts";
import type { OperatorToken } from "@holdfast/operator-token";
import type { KeyedWork } from "../operator-keys/carry-out-once.ts";
import type { SignedInMerchant } from "../merchant/sign-in.ts";
import type { TraceContext } from "./trace-context.ts";

/** A person who signed in to the operator API, with what their commands carry as proof. */
export type Operator = VerifiedOperator & {
  token: OperatorToken;
  /** The merchant, for a person who acts as its staff. */
  staffOf?: string;
};

/** A person who signed in to the staff API, with the plan and rules of their merchant. */
export type Staff = VerifiedStaff & {
  token: OperatorToken;
  settings: MerchantSettings;
  /** Which of the merchant's two modes the request is about. */
  livemode: boolean;
};

/** The state that a listener's exchanges share. */
export type ListenerState = {
  /** The listener's name, for the log. */
  readonly name: "merchant" | "operator" | "public" | "staff";
  /** Answers close their connections, so that clients open the next one to another process. */
  draining: boolean;
  /** The time that a client may take to accept more of its answer. */
  readonly answerTimeoutMs: number;
};

/**
 * One request, its answer, and the gateway's knowledge about it so far, from which the log line is written.
 */
export class Exchange {
  readonly req: IncomingMessage;
  readonly response: ServerResponse;
  readonly listener: ListenerState;
  /** Past the trusted proxies; see `createClientAddress`. */
  readonly clientAddress: string;
  readonly trace: TraceContext;
  /** Always our own: with the client's, a client could forge log lines. */
  readonly requestId: string = randomUUIDv7();
  readonly startedAt = performance.now();
  /** The connection ends with this answer: nothing that was sent behind it is read. */
  isLast = false;
  /** True if the body is passed on as it arrives, and may take longer than others. */
  isUpload = false;
  /** The client holds its body back until the server requests it (RFC 9110, 10.1.1). */
  #holdsBodyBack: boolean;
  /** The template; the path itself may contain a card number by mistake. */
  route: string | undefined;
  /** The key that a merchant's request came with, for the log: also of one that did not sign in. Never a secret. */
  apiKey: string | undefined;
  merchant: SignedInMerchant | undefined;
  operator: Operator | undefined;
  staff: Staff | undefined;
  /** The merchant the request is about: the one that signed in, or the one an operator names. */
  merchantId: string | undefined;
  paymentId: string | undefined;
  idempotency: MessageContext["idempotency"];
  /** The work of an operator's request under its Idempotency-Key, while it lasts. */
  keyedWork: KeyedWork | undefined;
  /** Headers with the rest of the merchant's rate, on every answer after the authentication. */
  rateLimit: Record<string, string> | undefined;
  /** The code of the problem that was the answer. */
  code: ProblemCode | undefined;
  /** The error on our side, for the log. */
  error: unknown;

  constructor(
    response: ServerResponse,
    known: Pick<Exchange, "listener" | "clientAddress" | "trace"> & { holdsBodyBack: boolean },
  ) {
    this.req = response.req;
    this.response = response;
    this.listener = known.listener;
    this.clientAddress = known.clientAddress;
    this.trace = known.trace;
    this.#holdsBodyBack = known.holdsBodyBack;
    exchanges.set(response, this);
  }

  /** The person who signed in, on the APIs where people sign in under their own names. */
  get person(): Operator | Staff | undefined {
    return this.operator ?? this.staff;
  }

  /** Requests the body where the client holds it back. To be called before reading a body. */
  askForBody(): void {
    if (!this.#holdsBodyBack) return;
    this.#holdsBodyBack = false;
    this.response.writeContinue();
  }

  /**
   * Sends the whole answer. Every answer of the gateway goes through here, except answers in pieces and
   * answers to bytes that were not HTTP.
   */
  answer(status: number, headers: Record<string, string> | undefined, body: string | undefined): void {
    if (this.response.headersSent || this.response.destroyed) return;
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    this.#begin(status, {
      ...(length !== undefined && { "Content-Type": "application/json", "Content-Length": length }),
      ...headers,
    });
    this.response.end(body);
  }

  /**
   * Sends an answer whose length is not known yet. The next piece is taken only when the client has room for it. After
   * a failure, or if the client takes too long, the connection is cut off: an answer that ended would look whole.
   */
  async answerInPieces(
    status: number,
    headers: Record<string, string> | undefined,
    pieces: AsyncIterable<string | Buffer>,
  ): Promise<void> {
    if (this.response.headersSent || this.response.destroyed) return;
    this.#begin(status, headers ?? {});
    if (this.req.method === "HEAD") return void this.response.end();
    try {
      for await (const piece of pieces) {
        if (this.response.destroyed) return;
        if (piece.length > 0 && !this.response.write(piece)) await this.#hasRoom();
      }
      this.response.end();
    } catch (error) {
      if (!this.response.destroyed) this.error = error;
      this.response.destroy();
    }
  }

  #begin(status: number, headers: Record<string, string | number>): void {
    // A body that we did not request may come or not: the following bytes could be a body or a request.
    if (this.listener.draining || this.#holdsBodyBack) this.isLast = true;
    this.response.writeHead(status, {
      ...commonHeaders(this.requestId),
      ...(this.isLast && { Connection: "close" }),
      ...this.rateLimit,
      ...headers,
    });
  }

  /** @throws when the client has not made room in time, or is gone. */
  async #hasRoom(): Promise<void> {
    const closed = new AbortController();
    const onClose = () => closed.abort();
    this.response.once("close", onClose);
    const late = AbortSignal.timeout(this.listener.answerTimeoutMs);
    try {
      await once(this.response, "drain", { signal: AbortSignal.any([closed.signal, late]) });
    } finally {
      this.response.off("close", onClose);
    }
  }
}

/** The exchange of an answer that the listener has taken. */
export function exchangeOf(response: ServerResponse): Exchange {
  const exchange = exchanges.get(response);
  if (!exchange) throw new Error("the answer belongs to no listener");
  return exchange;
}

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** Headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
}
