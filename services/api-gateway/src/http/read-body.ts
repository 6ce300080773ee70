import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.ts";
import type { BodySource } from "../limits/body-limit.ts";
import { Refusal } from "./refusal.ts";

/** The largest body accepted; a full list of prices of installments has 30 KiB, and most requests about 1. */
export const BODY_BYTES_MAX = 32 * 1024;

/**
 * Reads a bounded body, of JSON by default. A body of another media type, or declared too large, is refused
 * unread; the HTTP server discards the rest of it, within its time-out. A body that arrives so slowly that
 * others need its room is refused as late. This is our own code because express's parsers read a body to its
 * end before they refuse it, inflate by default, and accept an unknown media type.
 */
export async function readBody(
  exchange: Exchange,
  { limit, client }: BodySource,
  isWanted = isJson,
): Promise<Buffer | Refusal> {
  const request = exchange.req;
  if (!isWanted(request))
    return new Refusal("unsupported_media_type", isWanted === isJson ? { detail: JSON_WANTED } : undefined);
  const declared = request.headers["content-length"];
  if (declared !== undefined && Number(declared) > BODY_BYTES_MAX) return new Refusal("payload_too_large");

  exchange.askForBody();
  const { promise, resolve } = Promise.withResolvers<Buffer | Refusal>();
  const room = limit(client, () => {
    exchange.isLast = true;
    resolve(new Refusal("request_timeout", { detail: GAVE_WAY }));
  });
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return resolve(new Refusal("payload_too_large"));
    chunks.push(chunk);
    room.add(chunk.length);
  });
  request.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  // The client is gone, or its body was refused as broken or late. The refusal is not sent, but the caller's wait must
  // end. The request's own event would not do: it does not come once the request was answered.
  exchange.response.once("close", () => resolve(new Refusal("malformed_request")));
  try {
    return await promise;
  } finally {
    room.leave();
    chunks.length = 0;
  }
}

const GAVE_WAY = "too many bodies were arriving, and this one had taken longest; nothing was started";

/** A form as browsers send it, and not compressed. */
export function isForm({ headersDistinct }: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = headersDistinct;
  return types?.length === 1 && encodings === undefined && FORM_MEDIA_TYPE.test(types[0]!);
}

const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset=utf-8[ \t]*)?$/i;

/** Exactly application/json, as UTF-8 and not compressed. A doubled header could mean either of two things. */
function isJson(request: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = request.headersDistinct;
  if (types?.length !== 1 || (encodings && encodings.join().toLowerCase() !== "identity")) return false;
  const type = types[0]!;
  return type === "application/json" || JSON_MEDIA_TYPE.test(type);
}

const JSON_WANTED =
  "Send Content-Type: application/json once, with no parameter but charset=utf-8, and no Content-Encoding.";

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?$/i;
