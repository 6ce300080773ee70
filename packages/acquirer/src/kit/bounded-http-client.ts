import { request, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";

import {
  ANSWER_HEAD_BYTES_MAX,
  boundAnswer,
  createHttpAgent,
  isBrokenAnswer,
} from "@holdfast/service-runtime";

import type { NotSent, Unknown, UnknownReason } from "../acquirer.ts";
import type { AcquirerWire } from "../connector.ts";
import { noteUnreached, unreachedBy, type Unreached } from "../unreached.ts";

/** `url` is the acquirer's origin. Calls beyond `connectionsMax` wait in line, none past its deadline. */
export type BoundedHttpClientOptions = Omit<AcquirerWire, "allowPlaintext"> & { url: string };

/** `headers` in lower case; without them a body is JSON. */
export type HttpCall = {
  method: "GET" | "POST";
  path: string;
  body?: string | Buffer;
  headers?: Readonly<Record<string, string>>;
};

/** The result of a call: a whole answer of any status and encoding, or the reason for its absence. */
export type HttpExchange = HttpAnswer | Unknown | NotSent;
export type HttpAnswer = {
  kind: "answered";
  status: number;
  bytes: Buffer;
  contentType: string | undefined;
};

/**
 * HTTP for money: one whole exchange within a deadline, and certainty about `not_sent`. Nothing is written
 * before the connection is established. A call that ends before that moment has sent nothing, and every other
 * failure is `unknown`. It never throws because of the network and never repeats a call that may have been
 * sent.
 */
export class BoundedHttpClient {
  readonly #url: URL;
  /** One call at a time per connection: behind a hanging call another would be uncertain, too. */
  readonly #agent: Agent;
  readonly #connectTimeoutMs: number;
  readonly #awaitBudget: BoundedHttpClientOptions["awaitBudget"];
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ url, ca, connectionsMax, connectTimeoutMs, awaitBudget }: BoundedHttpClientOptions) {
    this.#url = new URL(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#awaitBudget = awaitBudget;
    this.#agent = createHttpAgent(this.#url.protocol, { connectionsMax, ca });
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
    this.#closing ??= Promise.all(this.#underWay).then(() => this.#agent.destroy());
    return this.#closing;
  }

  /** @param endsAt of the monotonic clock. */
  #attempt({ method, path, body, headers }: HttpCall, endsAt: number): Promise<HttpExchange> {
    if (performance.now() >= endsAt || this.#closing) return Promise.resolve(NOT_SENT);
    const { protocol, hostname, port } = this.#url;
    const call = request({
      agent: this.#agent,
      protocol,
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port,
      method,
      path,
      headers: headers ?? (body === undefined ? NO_HEADERS : JSON_HEADERS),
      maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    });
    const attempt = new Attempt(call, body, { endsAt, connectTimeoutMs: this.#connectTimeoutMs });
    this.#underWay.add(attempt.result);
    return attempt.result.finally(() => {
      this.#underWay.delete(attempt.result);
      noteUnreached(attempt.unreached);
    });
  }
}

/** One try. Its timer bounds it as a whole: the wait in line, the connection, and an answer that drips. */
class Attempt {
  readonly #outcome = Promise.withResolvers<HttpExchange>();
  readonly #call: ClientRequest;
  readonly #timer: NodeJS.Timeout;
  #connectTimer: NodeJS.Timeout | undefined;
  /** Set as soon as bytes may be sent. */
  #mayBeSent = false;
  #socket: Socket | undefined;
  /** Set where nothing was sent. */
  unreached: Unreached | undefined;

  constructor(
    call: ClientRequest,
    body: HttpCall["body"],
    { endsAt, connectTimeoutMs }: { endsAt: number; connectTimeoutMs: number },
  ) {
    this.#call = call;
    this.#timer = setTimeout(() => this.#fail("timeout"), endsAt - performance.now());
    const send = () => {
      clearTimeout(this.#connectTimer);
      if (call.destroyed) return;
      // A process that stood still meanwhile gets here before its timers: another one may have gone on without the call.
      if (performance.now() >= endsAt) return this.#fail("timeout");
      this.#mayBeSent = true;
      call.end(body);
    };
    call.once("socket", (socket) => {
      this.#socket = socket;
      const event = isReady(socket);
      // The bank may have closed a warm connection. After a whole turn of the loop that has been read.
      if (event === true) {
        setImmediate(() => setImmediate(send));
        return;
      }
      this.#connectTimer = setTimeout(() => this.#fail("timeout"), connectTimeoutMs);
      socket.once(event, send);
    });
    boundAnswer(call);
    call.on("error", (error) =>
      this.#fail(isBrokenAnswer(error) ? "invalid_answer" : "connection_lost", error),
    );
    const lost = () => this.#fail("connection_lost");
    call.once("close", lost);
    call.once("response", (response) => {
      // The connection may be closed before the answer that came over it is read.
      call.off("close", lost);
      response.once("close", lost);
      this.#read(response);
    });
  }

  get result(): Promise<HttpExchange> {
    return this.#outcome.promise;
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > RESPONSE_BYTES_MAX) this.#fail("invalid_answer");
    });
    response.on("error", () => {});
    response.once("end", () =>
      this.#end({
        kind: "answered",
        status: response.statusCode ?? 0,
        bytes: Buffer.concat(chunks),
        contentType: response.headers["content-type"],
      }),
    );
  }

  /** The first outcome counts: a call that is cut off afterwards, or that ends, has one already. */
  #fail(reason: UnknownReason, error?: Error): void {
    if (!this.#mayBeSent) this.unreached ??= error ? unreachedBy(error) : waitedFor(this.#socket);
    this.#end(this.#mayBeSent ? unknown(reason) : NOT_SENT);
    this.#call.destroy();
  }

  #end(outcome: HttpExchange): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#connectTimer);
    this.#outcome.resolve(outcome);
  }
}

/** Names the phase in which an attempt's time was over. */
function waitedFor(socket: Socket | undefined): Unreached {
  if (socket === undefined) return { cause: "no_free_connection", detail: "all connections were in use" };
  if (socket.pending || socket.connecting)
    return { cause: "dns_or_connect_timeout", detail: "no connection came about in time" };
  return { cause: "tls_timeout", detail: "the TLS handshake did not end in time" };
}

/** @returns true, or the event after which bytes can be sent. */
function isReady(socket: Socket): true | "connect" | "secureConnect" {
  if (!(socket instanceof TLSSocket)) return socket.pending ? "connect" : true;
  return socket.pending || isShakingHands(socket) ? "secureConnect" : true;
}

function isShakingHands(socket: TLSSocket): boolean {
  return (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting ?? true;
}

function unknown(reason: UnknownReason): Unknown {
  return { kind: "unknown", reason };
}

const NOT_SENT: NotSent = { kind: "not_sent" };

const JSON_HEADERS = { "content-type": "application/json" };
const NO_HEADERS = {};

/** An honest answer has well under 1 KiB. */
const RESPONSE_BYTES_MAX = 64 * 1_024;

/** A mistaken `expiresAt` must not occupy a connection for hours; the product's acquirer calls take 15 s at most. */
const WAIT_MAX_MS = 120_000;

/** The pause outlasts a listener's replacement, and is short against any deadline. */
const RETRY_PAUSE_MS = 100;
