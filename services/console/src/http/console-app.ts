import type { Logger } from "@holdfast/service-runtime";
import express, { type Express, type RequestHandler } from "express";
import { ASSET_HEADERS, SCRIPT, STYLE, type Asset } from "../ui/assets.ts";
import { accountPages } from "../accounts/account-pages.ts";
import { auditPages } from "../audit/audit-page.ts";
import { deliveryPages } from "../deliveries/delivery-pages.ts";
import { disputePages } from "../disputes/dispute-pages.ts";
import { merchantPages } from "../merchants/merchant-pages.ts";
import { overviewPage } from "../overview/overview-page.ts";
import { paymentLinkPages } from "../links/payment-link-pages.ts";
import { paymentPages } from "../payments/payment-pages.ts";
import { refundPages } from "../refunds/refund-pages.ts";
import { searchPage } from "../search/search-page.ts";
import { settlementPages } from "../settlement/settlement-pages.ts";
import { staffOverviewPage } from "../overview/staff-overview-page.ts";
import { statementPages } from "../settlement/statement-pages.ts";
import { unresolvedPage } from "../overview/unresolved-page.ts";
import { answerError, showNotFound } from "./answer-error.ts";
import { loginRoutes, type LoginDeps } from "./login-routes.ts";
import { backchannelLogout } from "./backchannel-logout.ts";
import { boundFormTime } from "./body-time.ts";
import { pageHandler, type PageDeps } from "./page-handler.ts";

/** Every page of the console, in the order in which paths are tried. */
export const PAGES = [
  overviewPage,
  staffOverviewPage,
  unresolvedPage,
  searchPage,
  ...paymentPages,
  ...refundPages,
  ...disputePages,
  ...deliveryPages,
  ...merchantPages,
  ...accountPages,
  ...settlementPages,
  ...statementPages,
  ...paymentLinkPages,
  ...auditPages,
];

/** @param headers of every answer. */
export function consoleApp(deps: PageDeps & LoginDeps, headers: Record<string, string>): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "simple");
  app.use(logRequests(deps.log));
  app.use((_request, response, next) => {
    response.set(headers);
    next();
  });
  app.use(boundFormTime);
  for (const asset of [STYLE, SCRIPT]) app.get(asset.path, assetHandler(asset));
  app.use(express.text({ type: "application/x-www-form-urlencoded", limit: FORM_BYTES_MAX }));
  app.use(loginRoutes(deps));
  app.use(backchannelLogout(deps));
  for (const page of PAGES) {
    if (page.method === "GET") app.get(page.path, pageHandler(deps, page));
    else app.post(page.path, pageHandler(deps, page));
  }
  app.use(showNotFound(deps));
  app.use(answerError(deps, deps.log));
  return app;
}

const FORM_BYTES_MAX = 131_072;

function assetHandler({ mediaType, body }: Asset): RequestHandler {
  return (_request, response) => {
    response.set({ ...ASSET_HEADERS, "Content-Type": mediaType }).send(body);
  };
}

/** One line a request, with the route instead of the address: a search may be for a customer. */
function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const begunAt = performance.now();
    response.once("close", () => {
      const route = request.route as { path?: unknown } | undefined;
      log.info(
        {
          listener: "console",
          method: request.method,
          route: typeof route?.path === "string" ? route.path : undefined,
          statusCode: response.statusCode,
          durationMs: Math.round(performance.now() - begunAt),
        },
        "request",
      );
    });
    next();
  };
}
