/**
 * Every request of a buyers' page goes through here: the page of a checkout, and the page of a payment link.
 */
import type { Work } from "@holdfast/contracts";
import { requestHandler, type RoutedHandler, type RoutedRequest } from "../../http/routed-request.ts";
import type { PageInFlightLimit } from "../../limits/in-flight-limit.ts";
import type { PageRateLimit } from "../../limits/page-rate-limit.ts";
import { reportsPathOf } from "../page-reports/report-headers.ts";
import { notFound, tooOften, trouble, type Visit } from "./answer-visit.ts";
import type { PageAssets } from "./page-assets.ts";
import { isCrossSite, readPageRequest } from "./page-request.ts";

export type VisitDeps = {
  publicUrl: string;
  assets: PageAssets;
  /** Limits the requests of each client and of each checkout. */
  rate: PageRateLimit;
  /** The permits for pages; above the limit the page asks the buyer to try again. */
  withPermit: PageInFlightLimit;
};

/** A page for each id of its kind. */
export type VisitedPage = {
  /** The route for logs and metrics, with the id's name in place of the id. */
  route: string;
  /** The id from the path's parameters; undefined if there is none. */
  idOf(params: RoutedRequest["params"]): string | undefined;
  /** The page's address for buyers. */
  urlOf(publicUrl: string, id: string): string;
  /** Limits its requests for each id, too: a link is for many clients. */
  isLimitedById: boolean;
  handle(visit: Visit): Promise<void>;
};

export function visitHandler(deps: VisitDeps, page: VisitedPage): RoutedHandler {
  return requestHandler(async (request, exchange) => {
    exchange.route = page.route;
    const asked = readPageRequest(request);
    // An id may be in capitals; answers have it in small letters.
    const id = page.idOf(request.params)?.toLowerCase();
    const path = new URL(page.urlOf(deps.publicUrl, id ?? "")).pathname;
    const reportsPath = reportsPathOf(deps.publicUrl);
    const visit = { exchange, asked, assets: deps.assets, reportsPath, checkoutId: id ?? "", path };
    const refusal = deps.rate.admit(exchange, page.isLimitedById ? id : undefined);
    if (refusal) return tooOften(visit, refusal);
    if (id === undefined || (request.method === "POST" && isCrossSite(request))) return notFound(visit);
    try {
      await page.handle(visit);
    } catch (error) {
      exchange.error = error;
      trouble(visit);
    }
  });
}

/**
 * Takes a permit for work that asks another service. A form takes none before it has arrived and is known to
 * be ours.
 */
export async function visitWithPermit(
  deps: Pick<VisitDeps, "withPermit">,
  visit: Visit,
  work: Work,
  answer: () => Promise<void>,
): Promise<void> {
  const { clientAddress, merchantId } = visit.exchange;
  const visitor = { clientAddress, subject: visit.checkoutId, merchantId };
  if (!(await deps.withPermit(visitor, work, answer))) trouble(visit);
}
