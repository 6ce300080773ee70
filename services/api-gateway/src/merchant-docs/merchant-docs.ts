import { Router } from "express";
import Negotiator from "negotiator";
import type { Config } from "../config.ts";
import { PROBLEM_MEDIA_TYPE } from "../http/problem-response.ts";
import { requestHandler } from "../http/routed-request.ts";
import { onlyGet, serveDocument } from "../http/serve-document.ts";
import { createPageRateLimit, pageRatesIn } from "../limits/page-rate-limit.ts";
import { loadDocuments } from "./load-documents.ts";

/** The guides and the reference on the merchant listener. */
export function merchantDocs(config: Config): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!config.DOCS) return router;
  const rate = createPageRateLimit(pageRatesIn(config));
  for (const [path, document] of loadDocuments(config.MERCHANT_API_URL))
    serveDocument(router, path, () => document, rate);
  const front = router.route("/docs");
  front.get(
    requestHandler((_request, exchange) => {
      exchange.route = "/docs";
      // Relative, because a proxy may have a path of its own before ours.
      exchange.answer(308, { Location: "docs/" }, undefined);
    }),
  );
  front.all(onlyGet("/docs"));
  // Redirects a browser that opens the address itself; a program gets the answer that there is no such route.
  router.route("/").get(
    requestHandler((request, exchange, next) => {
      const isBrowser = new Negotiator(request).mediaType([PROBLEM_MEDIA_TYPE, HTML]) === HTML;
      if (!isBrowser) return next();
      exchange.route = "/";
      exchange.answer(302, { Location: "docs/" }, undefined);
    }),
  );
  return router;
}

const HTML = "text/html";
