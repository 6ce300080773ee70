import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { renderPage, type Content, type Frame } from "../pages/layout.ts";

export function sendPage(response: Response, frame: Frame, page: Content & { status?: number }): void {
  response
    .status(page.status ?? 200)
    .type("html")
    .send(renderPage(frame, page));
}

/** Goes on as it arrives; where it breaks off, so does the download, and its last line is missing. */
export async function sendRows(
  response: Response,
  { fileName, body }: { fileName: string; body: ReadableStream<Uint8Array> },
): Promise<void> {
  response.setHeader("Content-Type", "text/csv; charset=utf-8");
  response.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
  await pipeline(Readable.fromWeb(body), response);
}
