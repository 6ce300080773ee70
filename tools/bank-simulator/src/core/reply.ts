import type { ServerResponse } from "node:http";

/** Answers with JSON in one write. */
export function replyJson(response: ServerResponse, status: number, body: object): void {
  replyText(response, status, "application/json", JSON.stringify(body));
}

/** Answers with a body of any kind in one write; text is sent as UTF-8. */
export function replyText(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
): void {
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** Sends no answer: keeps the socket open for `hangMs` or until the client gives up, then destroys it. */
export function holdUnanswered(response: ServerResponse, hangMs: number): void {
  const timer = setTimeout(() => response.destroy(), hangMs);
  response.once("close", () => clearTimeout(timer));
}

/** Refuses a body that is too large, and the connection with it, as the rest of the body may never end. */
export function replyTooLarge(response: ServerResponse): void {
  response.setHeader("connection", "close");
  replyJson(response, 413, { error: "body_too_large" });
}
