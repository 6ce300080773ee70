import type { RequestHandler } from "express";
import { requestHandler } from "../http/routed-request.ts";

/** A browser that has reached a page over TLS does not come without it again (RFC 6797). */
export function strictTransport(publicUrl: string): RequestHandler {
  const isHttps = publicUrl.startsWith("https:");
  return requestHandler((_request, exchange, next) => {
    if (isHttps) exchange.setHeader("Strict-Transport-Security", "max-age=31536000");
    next();
  });
}
