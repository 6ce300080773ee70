import { createHash } from "node:crypto";
import type { Router } from "express";
import type { PageRateLimit } from "../limits/page-rate-limit.ts";
import { refuse } from "./problem-response.ts";
import { Refusal } from "./refusal.ts";
import { requestHandler } from "./routed-request.ts";

/** One answer, complete: nothing is rendered while a request waits. */
export type ServedDocument = { mediaType: string; etag: string; body: string };

export function served(mediaType: string, body: string): ServedDocument {
  return { mediaType, body, etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"` };
}

/**
 * Answers GET of a path with a document that is the same for everybody and needs no sign-in. Requests for
 * documents have a limit of their own by client address: a client that reads too much loses only the
 * documents, not the API.
 */
export function serveDocument(
  router: Router,
  path: string,
  load: () => ServedDocument | Promise<ServedDocument>,
  rate: Pick<PageRateLimit, "admit">,
): void {
  const route = router.route(path);
  route.get(
    requestHandler(async (request, exchange) => {
      exchange.route = path;
      const refusal = rate.admit(exchange, undefined);
      if (refusal) return refuse(exchange, refusal);
      const { mediaType, etag, body } = await load();
      const headers = { ...DOCUMENT_HEADERS, ETag: etag };
      if (isKnown(request.headers["if-none-match"], etag)) exchange.answer(304, headers, undefined);
      else exchange.answer(200, { ...headers, "Content-Type": mediaType }, body);
    }),
  );
  route.all(onlyGet(path));
}

export function onlyGet(path: string) {
  return requestHandler((_request, exchange) => {
    exchange.route = path;
    refuse(exchange, new Refusal("method_not_allowed", { headers: { Allow: "GET, HEAD" } }));
  });
}

/** Compares If-None-Match weakly (RFC 9110): a proxy that compresses makes an entity tag weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The pages load our style sheet and our script and nothing else: no picture, no form, in no frame. */
const DOCUMENT_HEADERS = {
  "Cache-Control": "public, no-cache",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};
