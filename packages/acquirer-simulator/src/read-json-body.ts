import type { IncomingMessage } from "node:http";

export type JsonBody = { kind: "json"; value: unknown } | { kind: "malformed" } | { kind: "too_large" };

/** Reads a request's body of 16 KiB at most. Rejects when the client goes away before its end. */
export function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else resolve({ kind: "too_large" });
    });
    request.on("end", () => resolve(parseJson(chunks)));
    request.on("error", reject);
  });
}

/** The largest honest request has well under 1 KiB. */
const BODY_BYTES_MAX = 16 * 1_024;

/** The parser's error is dropped because its message quotes the body, which may hold a card number. */
function parseJson(chunks: Buffer[]): JsonBody {
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  try {
    return { kind: "json", value: JSON.parse(bytes.toString("utf8")) as unknown };
  } catch {
    return { kind: "malformed" };
  }
}
