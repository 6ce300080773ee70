/**
 * Receives browsers' reports of violations of a page's policy (PCI DSS 11.6.1). Everybody may send here, so
 * nothing is stored and the answer is always the same. Limits are separate from the pages', so a flood of
 * reports takes nothing from a buyer.
 */
import { createFairRoom } from "@holdfast/http-server";
import { networkOf } from "@holdfast/service-runtime";
import type { IncomingMessage } from "node:http";
import { Router } from "express";
import { readBody } from "../../http/read-body.ts";
import { requestHandler } from "../../http/routed-request.ts";
import { Refusal } from "../../http/refusal.ts";
import { createTokenBuckets } from "../../limits/token-buckets.ts";
import { readReports } from "./read-reports.ts";
import { REPORTS_PATH } from "./report-headers.ts";
import type { ViolationEvents } from "./violation-events.ts";

export type PageReportsDeps = {
  publicUrl: string;
  events: ViolationEvents;
};

export function pageReports({ publicUrl, events }: PageReportsDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const ownOrigin = new URL(publicUrl).origin;
  const rate = createTokenBuckets({ size: REPORTS_PER_MINUTE, intervalMs: 60_000, keysMax: ADDRESSES_MAX });
  const limit = createFairRoom({ placesMax: BODIES_MAX, bytesMax: BODIES_MAX * REPORT_BYTES_MAX });
  const receive = requestHandler(async (request, exchange) => {
    exchange.route = REPORTS_PATH;
    const client = networkOf(exchange.clientAddress);
    if (isSmall(request) && rate.take(client).waitMs === 0) {
      const body = await readBody(exchange, { limit, client }, isReport);
      if (!(body instanceof Refusal)) {
        for (const violation of readReports(body.toString("utf8"), ownOrigin)) events.violated(violation);
      }
    }
    exchange.answer(204, {}, undefined);
  });
  router.post(REPORTS_PATH, receive);
  return router;
}

/** The limit for one client's address, which many buyers may share. */
const REPORTS_PER_MINUTE = 120;
const ADDRESSES_MAX = 10_000;

/** Bodies that are being read. */
const BODIES_MAX = 32;

/** Browsers always send the length. */
function isSmall({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? Number.NaN) <= REPORT_BYTES_MAX;
}

const REPORT_BYTES_MAX = 8 * 1_024;

function isReport({ headersDistinct }: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = headersDistinct;
  return types?.length === 1 && encodings === undefined && REPORT_MEDIA_TYPE.test(types[0]!);
}

const REPORT_MEDIA_TYPE = /^application\/(csp-report|reports\+json)[ \t]*(;[ \t]*charset=utf-8[ \t]*)?$/i;
