import { Router } from "express";
import { refuse } from "../http/problem-response.ts";
import { Refusal } from "../http/refusal.ts";
import { requestHandler } from "../http/routed-request.ts";
import type { PageRateLimit } from "../limits/page-rate-limit.ts";
import type { ServedDocument } from "./load-documents.ts";

/**
 * The guides and the reference on the merchant listener. They are the same for everybody, so nobody signs in. Requests for
 * them count by client address, apart from those of the API: whoever reads too much loses the guides and nothing else.
 */
export function merchantDocs(
  documents: ReadonlyMap<string, ServedDocument>,
  rate: Pick<PageRateLimit, "admit">,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, document] of documents) {
    const route = router.route(path);
    route.get(
      requestHandler((request, exchange) => {
        exchange.route = path;
        const refusal = rate.admit(exchange, undefined);
        if (refusal) return refuse(exchange, refusal);
        const { mediaType, etag, body } = document;
        const headers = { ...DOCUMENT_HEADERS, ETag: etag };
        if (isKnown(request.headers["if-none-match"], etag)) exchange.answer(304, headers, undefined);
        else exchange.answer(200, { ...headers, "Content-Type": mediaType }, body);
      }),
    );
    route.all(onlyGet(path));
  }
  if (documents.size === 0) return router;
  const front = router.route("/docs");
  front.get(
    requestHandler((_request, exchange) => {
      exchange.route = "/docs";
      // Relative, because a proxy may have a path of its own before ours.
      exchange.answer(308, { Location: "docs/" }, undefined);
    }),
  );
  front.all(onlyGet("/docs"));
  return router;
}

function onlyGet(path: string) {
  return requestHandler((_request, exchange) => {
    exchange.route = path;
    refuse(exchange, new Refusal("method_not_allowed", { headers: { Allow: "GET, HEAD" } }));
  });
}

/** If-None-Match, by the weak comparison of RFC 9110: a proxy that compresses makes an entity tag weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The pages load our style sheet and nothing else: no script, no picture, no form, in no frame. */
const DOCUMENT_HEADERS = {
  "Cache-Control": "public, no-cache",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};
