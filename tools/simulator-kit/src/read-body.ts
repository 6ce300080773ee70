import type { IncomingMessage } from "node:http";

export type Bytes = { kind: "read"; bytes: Buffer } | { kind: "too_large" };
export type Body = { kind: "read"; text: string } | { kind: "too_large" };

/** Reads a request's body of 16 KiB at most as UTF-8. Rejects when the client goes away before its end. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const body = await readBytes(request);
  return body.kind === "read" ? { kind: "read", text: body.bytes.toString("utf8") } : body;
}

/** Reads a request's body of 16 KiB at most, whatever its encoding. Rejects when the client goes away before its end. */
export function readBytes(request: IncomingMessage): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_BYTES_MAX) chunks.push(chunk);
      else resolve({ kind: "too_large" });
    });
    request.on("end", () => {
      const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve({ kind: "read", bytes: whole });
    });
    request.on("error", reject);
  });
}

/** The largest honest request has well under 8 KiB, a URL of 2 KiB included. */
const BODY_BYTES_MAX = 16 * 1_024;
