import type { IncomingMessage } from "node:http";

/** `text` is `bytes` as UTF-8. A signature is verified over the bytes. */
export type Body = { kind: "read"; text: string; bytes: Buffer } | { kind: "too_large" };

/** Reads a request's body of `bytesMax` at most. Rejects when the client goes away before its end. */
export function readBody(request: IncomingMessage, bytesMax: number = BODY_BYTES_MAX): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else resolve({ kind: "too_large" });
    });
    request.on("end", () => {
      const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve({ kind: "read", text: whole.toString("utf8"), bytes: whole });
    });
    request.on("error", reject);
  });
}

/** The largest honest request has well under 8 KiB, a URL of 2 KiB included. */
const BODY_BYTES_MAX = 16 * 1_024;
