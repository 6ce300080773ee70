import type { RequestHandler } from "express";
import { requestHandler } from "../http/routed-request.ts";
import { reportingEndpoints } from "./page-reports/report-headers.ts";

/**
 * Headers of everything on the public listener: where policies report to, and that a browser that has reached a page over
 * TLS does not come without it again (RFC 6797).
 */
export function headersOfPages(publicUrl: string): RequestHandler {
  const headers = new Headers({
    ...reportingEndpoints(publicUrl),
    ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": "max-age=31536000" }),
  });
  return requestHandler((_request, exchange, next) => {
    exchange.setHeaders(headers);
    next();
  });
}
