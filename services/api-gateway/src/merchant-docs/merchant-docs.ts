import { Router } from "express";
import type { Config } from "../config.ts";
import { requestHandler } from "../http/routed-request.ts";
import { onlyGet, serveDocument } from "../http/serve-document.ts";
import { createPageRateLimit, pageRatesIn } from "../limits/page-rate-limit.ts";
import { loadDocuments } from "./load-documents.ts";

/** The guides and the reference on the merchant listener. */
export function merchantDocs(config: Config): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!config.DOCS) return router;
  const rate = createPageRateLimit(pageRatesIn(config));
  for (const [path, document] of loadDocuments()) serveDocument(router, path, () => document, rate);
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
