import { setTimeout as sleep } from "node:timers/promises";

import { errors, Pool, type Dispatcher } from "undici";

import type { NotSent, Unknown, UnknownReason } from "../acquirer.ts";
import type { AcquirerWire } from "../connector.ts";

/** `url` is the acquirer's origin. Calls beyond `connectionsMax` wait in line, none past its deadline. */
export type BoundedHttpClientOptions = Omit<AcquirerWire, "allowPlaintext"> & { url: string };

/** `headers` in lower case; without them a body is JSON. */
export type HttpCall = {
  method: "GET" | "POST";
  path: string;
  body?: string | Buffer;
  headers?: Readonly<Record<string, string>>;
};

/** The result of a call: a whole answer of any status and encoding, or the reason why there is none. */
export type HttpExchange = HttpAnswer | Unknown | NotSent;
export type HttpAnswer = {
  kind: "answered";
  status: number;
  bytes: Buffer;
  contentType: string | undefined;
};

/**
 * HTTP for money: one whole exchange within a deadline, and certainty about `not_sent`. The client learns from undici
 * the moment before the first byte is written; a call that ends before that moment has sent nothing, and every other
 * failure is `unknown`. It never throws because of the network and never repeats a call that may have been sent.
 */
export class BoundedHttpClient {
  readonly #pool: Pool;
  readonly #awaitBudget: BoundedHttpClientOptions["awaitBudget"];
  #closing: Promise<void> | undefined;

  constructor(options: BoundedHttpClientOptions) {
    this.#awaitBudget = options.awaitBudget;
    this.#pool = new Pool(options.url, {
      connections: options.connectionsMax,
      connectTimeout: options.connectTimeoutMs,
      ...(options.ca !== undefined && { connect: { ca: options.ca, timeout: options.connectTimeoutMs } }),
      // One call at a time per connection: behind a hanging call another would be uncertain, too.
      pipelining: 1,
      maxResponseSize: RESPONSE_BYTES_MAX,
    });
  }

  /** A call that was certainly not sent is tried once more, if time is left before `expiresAt`. */
  async exchange(call: HttpCall, expiresAt: Date): Promise<HttpExchange> {
    const askedAt = Date.now();
    const leftMs = Math.min(expiresAt.getTime() - askedAt, WAIT_MAX_MS);
    // The rest uses the monotonic clock: a correction of the machine's time meanwhile cuts no call off.
    const endsAt = performance.now() + leftMs;
    const refused = this.#awaitBudget && (await this.#awaitBudget(new Date(askedAt + leftMs)));
    if (refused) return refused;
    const first = await this.#attempt(call, endsAt);
    if (first.kind !== "not_sent" || performance.now() + RETRY_PAUSE_MS >= endsAt) return first;
    await sleep(RETRY_PAUSE_MS);
    return this.#attempt(call, endsAt);
  }

  /** Lets the calls under way end, each by its own deadline; calls made afterwards are `not_sent`. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.close();
    return this.#closing;
  }

  /** @param endsAt of the monotonic clock. */
  #attempt(call: HttpCall, endsAt: number): Promise<HttpExchange> {
    const waitMs = endsAt - performance.now();
    if (waitMs <= 0) return Promise.resolve(NOT_SENT);
    const attempt = new Attempt(waitMs);
    const headers = call.headers ?? (call.body === undefined ? NO_HEADERS : JSON_HEADERS);
    this.#pool.dispatch({ method: call.method, path: call.path, headers, body: call.body ?? null }, attempt);
    return attempt.result;
  }
}

/** One try. Its timer bounds it as a whole: the wait in line, the connection, and an answer that drips. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<HttpExchange>();
  readonly #timer: NodeJS.Timeout;
  #isOver = false;
  /** Set as soon as bytes may be sent. */
  #started: Dispatcher.DispatchController | undefined;
  #status = 0;
  #contentType: string | undefined;
  #body: Buffer[] = [];

  constructor(waitMs: number) {
    this.#timer = setTimeout(() => {
      this.#end(this.#started ? unknown("timeout") : NOT_SENT);
      this.#started?.abort(DEADLINE_PASSED);
    }, waitMs);
  }

  get result(): Promise<HttpExchange> {
    return this.#outcome.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The caller of a call that waited in line too long already has `not_sent`, so nothing may be sent any more.
    if (this.#isOver) controller.abort(DEADLINE_PASSED);
    else this.#started = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
  ): void {
    this.#status = status;
    this.#contentType = [headers["content-type"]].flat()[0];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#body);
    this.#end({ kind: "answered", status: this.#status, bytes, contentType: this.#contentType });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#started ? unknown(reasonOf(error)) : NOT_SENT);
  }

  #end(outcome: HttpExchange): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#outcome.resolve(outcome);
  }
}

/** The errors of undici for an answer that came and that we do not read; the error itself may contain its bytes. */
const notAnswers = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseExceededMaxSizeError];

function reasonOf(error: Error): UnknownReason {
  return notAnswers.some((notAnswer) => error instanceof notAnswer) ? "invalid_answer" : "connection_lost";
}

function unknown(reason: UnknownReason): Unknown {
  return { kind: "unknown", reason };
}

const NOT_SENT: NotSent = { kind: "not_sent" };

const DEADLINE_PASSED = new Error("the deadline of the call has passed");

const JSON_HEADERS = { "content-type": "application/json" };
const NO_HEADERS = {};

/** An honest answer has well under 1 KiB. */
const RESPONSE_BYTES_MAX = 64 * 1_024;

/** A mistaken `expiresAt` must not occupy a connection for hours; the product's acquirer calls take 15 s at most. */
const WAIT_MAX_MS = 120_000;

/** Long enough to outlast a listener that is being replaced, short against any deadline. */
const RETRY_PAUSE_MS = 100;
