import { request, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ANSWER_HEAD_BYTES_MAX, boundAnswer } from "./answer-bounds.ts";
import { createHttpAgent } from "./http-agent.ts";

export type HttpFetchInit = {
  method?: string;
  headers?: Headers | Record<string, string>;
  body?: string | Uint8Array | ArrayBuffer | URLSearchParams | AsyncIterable<Uint8Array> | null | undefined;
  signal?: AbortSignal | null | undefined;
  agent?: Agent;
};

/**
 * `fetch` on Node's own client. The global one takes `100 Continue` for a broken connection. It follows no redirect and
 * asks for no encoding.
 */
export async function httpFetch(url: string | URL, init: HttpFetchInit = {}): Promise<Response> {
  const { method = "GET", body, signal } = init;
  const target = new URL(url);
  const isTls = target.protocol === "https:";
  const headers = new Headers(init.headers);
  if (body instanceof URLSearchParams && !headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  const call = (isTls ? requestTls : request)(target, {
    method,
    headers: Object.fromEntries(headers),
    agent: init.agent ?? (isTls ? tlsAgent : agent),
    maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    timeout: SILENCE_MS_MAX,
  });
  boundAnswer(call);
  call.once("timeout", () => call.emit("error", new Error("the answer has stopped")));
  const abort = () => call.emit("error", signal?.reason);
  signal?.addEventListener("abort", abort);
  call.once("close", () => signal?.removeEventListener("abort", abort));
  const answer = answerTo(call, body);
  if (signal?.aborted) abort();
  return responseOf(await answer);
}

const agent = createHttpAgent("http:", { byProxy: true });
const tlsAgent = createHttpAgent("https:", { byProxy: true });

/** The longest silence within an answer that comes. */
const SILENCE_MS_MAX = 300_000;

async function answerTo(call: ClientRequest, body: HttpFetchInit["body"]): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    call.once("response", (arrived: IncomingMessage) => resolve((answer = arrived)));
    call.on("error", (error) => {
      reject(error);
      // A request that is destroyed under its answer would make the answer seem whole.
      (answer ?? call).destroy(error);
    });
    if (body === undefined || body === null) call.end();
    else if (body instanceof URLSearchParams) call.end(body.toString());
    else if (body instanceof ArrayBuffer) call.end(Buffer.from(body));
    else if (typeof body === "string" || body instanceof Uint8Array) call.end(body);
    else pipeline(Readable.from(body), call).catch(reject);
  });
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0 } = answer;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  if (!BODILESS.has(status))
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
  answer.on("error", () => {}).resume();
  return new Response(null, { status, headers });
}

const BODILESS = new Set([204, 205, 304]);
