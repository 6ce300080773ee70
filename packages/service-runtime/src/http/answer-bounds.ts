import type { ClientRequest } from "node:http";

/** The longest head of an answer that every HTTP client of the product reads. Cookies and policies need some room. */
export const ANSWER_HEAD_BYTES_MAX = 64 * 1_024;

/**
 * The number of interim answers (1xx) that are read before the answer. A client has to be able to read them although it
 * asked for none (RFC 9110, 15.2), but not forever.
 */
export const INTERIM_ANSWERS_MAX = 100;

/** An answer came, and it is not HTTP/1.1, or beyond a bound. */
export class BrokenAnswerError extends Error {
  override name = "BrokenAnswerError";
  readonly code = "broken_answer";
}

/** Ends a request whose final answer does not follow after a bounded number of interim ones (RFC 9110). */
export function boundAnswer(request: ClientRequest): void {
  let interim = 0;
  request.on("information", () => {
    if (++interim > INTERIM_ANSWERS_MAX) request.destroy(new BrokenAnswerError("too many interim answers"));
  });
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    // Node calls such a request done.
    request.emit("error", new BrokenAnswerError("another protocol, without a request for it"));
  });
}

/** Tells an answer that cannot be read from a connection without one. */
export function isBrokenAnswer(error: unknown): boolean {
  if (error instanceof BrokenAnswerError) return true;
  // The errors of Node's parser.
  return error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
}

/** The bytes of an answer; undefined if there are more than `bytesMax`. */
export async function readBounded(answer: Response, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
