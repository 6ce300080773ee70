import { randomUUIDv7 } from "node:crypto";
import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { commonHeaders, type Exchange } from "./exchange.ts";
import { PROBLEM_MEDIA_TYPE, problemBody, refuse } from "./problem-response.ts";
import { Refusal } from "./refusal.ts";

/** An answer to bytes that were no request, for the log. */
export type BrokenHttp = { code: ProblemCode; statusCode: number; requestId: string };

/**
 * Answers bytes that the HTTP parser could not read as a request, or a request that did not arrive in time,
 * and closes the connection. The answer never overtakes an earlier request's: a client would take a refusal
 * for the answer to its payment.
 *
 * @param latest the connection's latest exchange, if there is one.
 * @returns the answer, if it belongs to no exchange.
 */
export function refuseBrokenHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
  latest: Exchange | undefined,
): BrokenHttp | undefined {
  // The connection was answered a moment ago; later bytes do not matter.
  if (socket.writableEnded) return undefined;
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const code = codeOf(error);
  if (!latest || (latest.response.writableFinished && latest.req.complete))
    return answerWithoutRequest(socket, code);
  if (latest.response.headersSent) socket.destroySoon();
  else {
    latest.isLast = true;
    if (!latest.req.complete) refuse(latest, new Refusal(code));
  }
  return undefined;
}

function answerWithoutRequest(socket: Socket, code: ProblemCode): BrokenHttp {
  const requestId = randomUUIDv7();
  const { status } = PROBLEMS[code];
  const body = problemBody(new Refusal(code), requestId);
  const headers = {
    ...commonHeaders(requestId),
    "Content-Type": PROBLEM_MEDIA_TYPE,
    "Content-Length": String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  // Closing with unread bytes would reset the connection, and the answer with it: the client gets a moment to read it.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  return { code, statusCode: status, requestId };
}

const LINGER_MS = 1_000;

function codeOf(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return "malformed_request";
}

/**
 * Finds requests that Node's parser accepts but another server on the way could read differently (RFC 9112,
 * sections 3.2 and 6.1). The connection ends with the refusal, so that no later bytes are read as a request.
 */
export function faultOfHead(request: IncomingMessage): ProblemCode | undefined {
  const { httpVersion, rawHeaders, headersDistinct } = request;
  if (rawHeaders.length > 2 * HEADERS_MAX) return "headers_too_large";
  const { host = [], "transfer-encoding": codings = [] } = headersDistinct;
  const isLatest = httpVersion === "1.1";
  const isOneHost = host.length === 1 || (host.length === 0 && !isLatest);
  const isPlainlyCoded = codings.length === 0 || (isLatest && codings.join().toLowerCase() === "chunked");
  const isKnown = isLatest || httpVersion === "1.0";
  return isKnown && isOneHost && HOST.test(host[0] ?? "") && isPlainlyCoded ? undefined : "malformed_request";
}

/** The characters of a host and port (RFC 3986, 3.2.2); which host it is does not matter here. */
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/** More than any client and any proxy send, and far below the 2 000 beyond which Node drops headers silently. */
const HEADERS_MAX = 100;
