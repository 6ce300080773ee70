import type { IncomingMessage } from "node:http";
import type { ProblemCode } from "@holdfast/contracts";

/**
 * What Node's parser lets pass and another server on the way could read as another request (RFC 9112, sections 3.2 and
 * 6.1): such a connection is ended with the refusal, so that nothing sent behind it is taken for a request.
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

/** More than any client and any proxy add. Far below the 2 000 beyond which Node drops headers without a word. */
const HEADERS_MAX = 100;
