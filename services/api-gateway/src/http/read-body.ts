import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** The client went away before its request was whole. */
export class RequestAbortedError extends Error {
  override name = "RequestAbortedError";
  readonly code = "request_aborted";
}

/** The largest body taken; the largest valid request has about 1 KiB. */
export const BODY_BYTES_MAX = 32 * 1024;

/**
 * Reads a JSON body, bounded: one of another media type, or declared to be too large, is refused without reading it. What
 * of it still arrives is thrown away by the HTTP server, within its time-out. Own code, because express's parsers read a
 * body they refuse to its end before they say so, inflate unless told otherwise, and let an unknown media type pass.
 *
 * @throws RequestAbortedError
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | Refusal> {
  if (!isJson(request)) return new Refusal("unsupported_media_type");
  const declared = request.headers["content-length"];
  if (declared !== undefined && Number(declared) > BODY_BYTES_MAX) return new Refusal("payload_too_large");

  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_BYTES_MAX) {
        chunks.push(chunk);
      } else {
        // Without a listener the rest flows to nowhere.
        request.off("data", onData);
        resolve(new Refusal("payload_too_large"));
      }
    };
    request.on("data", onData);
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once("close", () => {
      if (!request.complete) reject(new RequestAbortedError("the request ended before its body"));
    });
    // It would end the process unheard; the close tells the same.
    request.on("error", () => {});
  });
}

/** Exactly application/json, as UTF-8 and not compressed. A doubled header could mean either of two things. */
function isJson(request: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = request.headersDistinct;
  if (types?.length !== 1 || (encodings && encodings.join().toLowerCase() !== "identity")) return false;
  const type = types[0]!;
  return type === "application/json" || JSON_MEDIA_TYPE.test(type);
}

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?$/i;
