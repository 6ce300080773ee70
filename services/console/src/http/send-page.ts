import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { FileAnswer } from "../ui/page-context.ts";
import { renderPage, type Content, type Frame } from "../ui/layout.ts";

export function sendPage(response: Response, frame: Frame, page: Content & { status?: number }): void {
  if (page.status === 503) response.set("Retry-After", RETRY_AFTER_S);
  response
    .status(page.status ?? 200)
    .type("html")
    .send(renderPage(frame, page));
}

const RETRY_AFTER_S = "2";

/** Passes the file on as it arrives; where it breaks off, so does the download, and its last line is missing. */
export async function sendFile(
  response: Response,
  { mediaType, fileName, policy, body }: FileAnswer,
): Promise<void> {
  // The name may have been chosen by somebody else.
  if (fileName !== undefined) response.attachment(fileName);
  const charset = mediaType === "application/octet-stream" ? "" : "; charset=utf-8";
  response.setHeader("Content-Type", mediaType + charset);
  if (policy !== undefined) response.setHeader("Content-Security-Policy", policy);
  await pipeline(Readable.fromWeb(body), response);
}
