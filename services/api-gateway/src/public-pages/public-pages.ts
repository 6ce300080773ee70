import type { Bus } from "@holdfast/messaging";
import { createCardSealer } from "@holdfast/sealing";
import type { ClockWatch } from "@holdfast/postgres";
import type { Logger } from "@holdfast/service-runtime";
import { Router } from "express";
import type { Kysely } from "kysely";
import { createSendCommand, createSendPageCommand, sendOptions } from "../bus/send-command.ts";
import { needed, type Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { bodiesIn } from "../limits/body-limit.ts";
import { createPageInFlightLimit, permitsIn } from "../limits/in-flight-limit.ts";
import { createPageRateLimit, pageRatesIn } from "../limits/page-rate-limit.ts";
import { bankNotifications } from "./bank-notifications/bank-notifications.ts";
import { checkoutPages, type CheckoutPagesDeps } from "./checkout/checkout-pages.ts";
import { payByForm } from "./checkout/pay-by-form.ts";
import { unknownPage } from "./checkout/unknown-page.ts";
import { createFormTokens } from "./checkout/form-token.ts";
import { paymentLinkPages } from "./checkout/payment-link-pages.ts";
import { loadPageAssets } from "./checkout/page-assets.ts";
import { pageReports } from "./page-reports/page-reports.ts";
import { createViolationEvents } from "./page-reports/violation-events.ts";
import { createSignedSessions, type SignedSessions } from "./three-ds/signed-session.ts";
import { threeDsPages } from "./three-ds/three-ds-pages.ts";
import { createGenerateSession } from "./three-ds/generate-session.ts";
import { requestHandler, type RoutedHandler } from "../http/routed-request.ts";
import { reportingEndpoints } from "./page-reports/report-headers.ts";

type Deps = { bus: Bus; db: Kysely<GatewayDatabase>; clock: ClockWatch; log: Logger };

/** The pages without a sign-in on the internet: checkouts, 3-D Secure, and banks' notifications. */
export function publicPages(config: Config, { bus, db, clock, log }: Deps): Router {
  const sealingKeys = needed(config.CARD_SEALING_KEYS);
  const publicUrl = needed(config.PUBLIC_URL);
  const sessions = signedSessionsOf(config);
  const sendPage = createSendPageCommand(bus, sendOptions(config, { clock, log }));
  const withPermit = createPageInFlightLimit(permitsIn(config), config.REQUESTS_IN_FLIGHT_SHARE);
  const bodies = bodiesIn(config);
  const rate = createPageRateLimit(pageRatesIn(config));
  const paying = {
    send: createSendCommand(bus, sendOptions(config, { clock, log })),
    cards: createCardSealer(sealingKeys),
    db,
    publicUrl,
    generateSession: createGenerateSession(sessions, publicUrl),
  };
  const checkouts: CheckoutPagesDeps = {
    payByForm: (filled) => payByForm(paying, filled),
    rate,
    db,
    publicUrl,
    sendPage,
    assets: loadPageAssets(publicUrl),
    forms: { tokens: createFormTokens(sealingKeys), bodies },
    withPermit,
  };
  const router = Router();
  router.use(
    headersOfPages(publicUrl),
    pageReports({ publicUrl, events: createViolationEvents(log, () => performance.now()) }),
    paymentLinkPages(checkouts),
    checkoutPages(checkouts),
    bankNotifications({ send: sendPage, perMinute: config.BANK_NOTIFICATIONS_PER_MINUTE_PER_IP }),
    threeDsPages({ rate, db, send: sendPage, sessions, bodies, withPermit, now: Date.now }),
    unknownPage(checkouts),
  );
  return router;
}

/** Signs the addresses that a buyer's browser carries. */
export function signedSessionsOf(config: Config): SignedSessions {
  const lifetimeMs = config.THREE_DS_STATE_LIFETIME;
  return createSignedSessions(needed(config.THREE_DS_STATE_KEYS), { lifetimeMs });
}

/**
 * Headers of all answers on the public listener: the address for policies' reports, and the rule that a
 * browser which has used TLS never comes without it again (RFC 6797).
 */
function headersOfPages(publicUrl: string): RoutedHandler {
  const headers = new Headers({
    ...reportingEndpoints(publicUrl),
    ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": "max-age=31536000" }),
  });
  return requestHandler((_request, exchange, next) => {
    exchange.response.setHeaders(headers);
    next();
  });
}
