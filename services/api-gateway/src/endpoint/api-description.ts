import { Router } from "express";
import type { Config } from "../config.ts";
import { served, serveDocument, type ServedDocument } from "../http/serve-document.ts";
import { createPageRateLimit, pageRatesIn } from "../limits/page-rate-limit.ts";

/** The OpenAPI document of an API for people, made from the contracts when it is first asked for. */
export function apiDescription(config: Config, listener: "operator" | "staff"): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!config.DOCS) return router;
  const rate = createPageRateLimit(pageRatesIn(config));
  let document: Promise<ServedDocument> | undefined;
  serveDocument(router, "/openapi.json", () => (document ??= describe(listener)), rate);
  return router;
}

/** Imported late: most processes never describe themselves, and the examples and the generator cost their start. */
async function describe(listener: "operator" | "staff"): Promise<ServedDocument> {
  const { openApiJson } = await import("@holdfast/contracts/openapi");
  return served("application/json", openApiJson(listener));
}
