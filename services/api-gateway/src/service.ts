import type { GatewayFace } from "@holdfast/contracts";
import { createCardSealer } from "@holdfast/sealing";
import { busOptions, connectBus, type Bus } from "@holdfast/messaging";
import {
  createDatabase,
  createPool,
  dependencyChecks,
  startClockWatch,
  startHealth,
  stopInOrder,
  type ClockWatch,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import { Router, type RequestHandler } from "express";
import type { Kysely } from "kysely";
import {
  createSendCommand,
  createSendOperatorCommand,
  createSendPageCommand,
  type SendOptions,
} from "./bus/send-command.ts";
import { faceOf, type Config } from "./config.ts";
import type { GatewayDatabase } from "./database.ts";
import { createRouter } from "./endpoint/create-router.ts";
import { createClientAddress } from "./http/client-address.ts";
import { HTTP_TIMEOUTS, startListener } from "./http/listener.ts";
import { requestHandler } from "./http/routed-request.ts";
import { createPageInFlightLimit, placesIn } from "./limits/in-flight-limit.ts";
import { createMerchantRateLimit } from "./limits/merchant-rate-limit.ts";
import { createPageRateLimit } from "./limits/page-rate-limit.ts";
import { createSignInLimits } from "./limits/sign-in-limits.ts";
import { authenticateMerchant } from "./merchant-api/authenticate-merchant.ts";
import { binRoute } from "./merchant-api/bin.ts";
import { cancelRoute, captureRoute } from "./merchant-api/capture-and-cancel.ts";
import { createCheckoutRoute, getCheckoutRoute } from "./merchant-api/checkout.ts";
import { paymentRoute } from "./merchant-api/payment.ts";
import { preAuthorizationRoute } from "./merchant-api/pre-authorization.ts";
import { refundRoute } from "./merchant-api/refund.ts";
import { saleRoute } from "./merchant-api/sale.ts";
import { threeDsRoute } from "./merchant-api/three-ds.ts";
import { announceCredentialChanges, followCredentialChanges } from "./merchant/credential-changes.ts";
import { findCredential } from "./merchant/merchant-queries.ts";
import { createSignIn } from "./merchant/sign-in.ts";
import { auditLogRoute, gatewayAuditSource, serviceAuditSources } from "./operator-api/audit-log.ts";
import { authenticateOperator } from "./operator-api/authenticate-operator.ts";
import { merchantRoutes } from "./operator-api/merchants.ts";
import { operatorKeys } from "./operator-api/operator-keys.ts";
import { paymentRoutes } from "./operator-api/payments.ts";
import { refundRoutes } from "./operator-api/refunds.ts";
import { webhookRoutes } from "./operator-api/webhooks.ts";
import { checkoutPages } from "./public-pages/checkout/checkout-pages.ts";
import { createFormTokens } from "./public-pages/checkout/form-token.ts";
import { loadPageAssets } from "./public-pages/checkout/page-assets.ts";
import { createGenerateSession } from "./public-pages/three-ds/generate-session.ts";
import { createSignedSessions, type SignedSessions } from "./public-pages/three-ds/signed-session.ts";
import { threeDsPages } from "./public-pages/three-ds/three-ds-pages.ts";

export type ApiGateway = RunningService & { face: GatewayFace; port: number; healthPort: number };

/** The whole object graph of one face of the gateway, wired by hand. */
export async function startApiGateway(config: Config, log: Logger): Promise<ApiGateway> {
  const face = faceOf(config);
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: face,
    log,
  });
  const bus = await connectBus({
    ...busOptions(config),
    name: face,
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  const db = createDatabase<GatewayDatabase>(pool);
  const clock = await startClockWatch({ pool, log });
  const listener = await startListener({
    ...listenerOf(face, config, { bus, db, clock }),
    host: config.LISTEN_HOST,
    log,
    timeouts: timeoutsOfClients(config),
    connectionsMax: config.CONNECTIONS_MAX,
    clientAddress: createClientAddress(config.TRUSTED_PROXIES),
  });
  log.info({ listener: listener.name, port: listener.port }, "listening");
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    ...dependencyChecks({ pool, bus }),
    clock.check,
  ]);

  return {
    face,
    port: listener.port,
    healthPort: health.port,
    stop: () =>
      stopInOrder(health, [
        [() => listener.stop(config.DRAIN_TIMEOUT)],
        [() => clock.stop(CLOCK_STOP_MS), () => bus.close(BUS_CLOSE_TIMEOUT_MS)],
        [() => pool.end()],
      ]),
  };
}

const BUS_CLOSE_TIMEOUT_MS = 2_000;
const CLOCK_STOP_MS = 1_000;

type Deps = { bus: Bus; db: Kysely<GatewayDatabase>; clock: ClockWatch };

function listenerOf(face: GatewayFace, config: Config, deps: Deps) {
  switch (face) {
    case "gateway-merchant":
      return {
        name: "merchant",
        port: needed(config.MERCHANT_API_PORT),
        router: merchantApi(config, deps),
      } as const;
    case "gateway-operator":
      return {
        name: "operator",
        port: needed(config.OPERATOR_API_PORT),
        router: operatorApi(config, deps),
      } as const;
    case "gateway-public":
      return {
        name: "public",
        port: needed(config.PUBLIC_PAGES_PORT),
        router: publicPages(config, deps),
      } as const;
    default:
      return face satisfies never;
  }
}

function merchantApi(config: Config, { bus, db, clock }: Deps): Router {
  const signIn = createSignIn({
    findCredential: (apiKey) => findCredential(db, apiKey),
    peppers: needed(config.CREDENTIAL_PEPPERS),
    cacheTtlMs: config.CREDENTIAL_CACHE_TTL,
    waitingMax: config.REQUESTS_IN_FLIGHT_MAX,
    clock: performance,
  });
  followCredentialChanges(bus, signIn);
  const send = createSendCommand(bus, sendOptions(config, clock));
  const cards = createCardSealer(needed(config.CARD_SEALING_KEYS));
  const publicUrl = needed(config.PUBLIC_URL);
  const generateSession = createGenerateSession(signedSessionsOf(config), publicUrl);
  return createRouter({
    prefix: "/api",
    authenticate: authenticateMerchant(
      signIn,
      createSignInLimits({
        perAddress: config.FAILED_SIGN_INS_PER_MINUTE_PER_IP,
        perKey: config.FAILED_SIGN_INS_PER_MINUTE_PER_KEY,
      }),
    ),
    limitRate: createMerchantRateLimit(config.RATE_LIMIT_PER_SECOND),
    places: placesIn(config),
    routes: [
      preAuthorizationRoute({ send, cards }),
      saleRoute({ send, cards }),
      threeDsRoute({ send, cards, generateSession }),
      paymentRoute({ send }),
      captureRoute({ send }),
      cancelRoute({ send }),
      refundRoute({ send }),
      binRoute({ send }),
      createCheckoutRoute({ send, publicUrl }),
      getCheckoutRoute({ send, publicUrl }),
    ],
  });
}

/** The pages for buyers' browsers: checkouts, and the ways to a 3-D Secure challenge and back. */
function publicPages(config: Config, { bus, db, clock }: Deps): Router {
  const sealingKeys = needed(config.CARD_SEALING_KEYS);
  const publicUrl = needed(config.PUBLIC_URL);
  const sessions = signedSessionsOf(config);
  const sendPage = createSendPageCommand(bus, sendOptions(config, clock));
  const inPlace = createPageInFlightLimit(placesIn(config));
  const admit = createPageRateLimit(config.PAGE_REQUESTS_PER_MINUTE_PER_IP);
  const router = Router();
  router.use(
    strictTransport(publicUrl),

    checkoutPages({
      admit,
      db,
      publicUrl,
      send: createSendCommand(bus, sendOptions(config, clock)),
      sendPage,
      cards: createCardSealer(sealingKeys),
      tokens: createFormTokens(sealingKeys),
      generateSession: createGenerateSession(sessions, publicUrl),
      assets: loadPageAssets(publicUrl),
      inPlace,
    }),
    threeDsPages({ admit, send: sendPage, sessions, inPlace, now: Date.now }),
  );
  return router;
}

/** A browser that has reached a page over TLS does not come without it again (RFC 6797). */
function strictTransport(publicUrl: string): RequestHandler {
  const isHttps = publicUrl.startsWith("https:");
  return requestHandler((_request, exchange, next) => {
    if (isHttps) exchange.setHeader("Strict-Transport-Security", "max-age=31536000");
    next();
  });
}

function signedSessionsOf(config: Config): SignedSessions {
  const lifetimeMs = config.THREE_DS_STATE_LIFETIME;
  return createSignedSessions(needed(config.THREE_DS_STATE_KEYS), { lifetimeMs });
}

function operatorApi(config: Config, { bus, db, clock }: Deps): Router {
  const send = createSendOperatorCommand(bus, sendOptions(config, clock));
  const announce = announceCredentialChanges(bus);
  const peppers = needed(config.CREDENTIAL_PEPPERS);
  return createRouter({
    prefix: "/operator",
    authenticate: authenticateOperator(operatorKeys(needed(config.OPERATOR_JWKS)), {
      issuer: needed(config.OPERATOR_JWT_ISSUER),
      audience: needed(config.OPERATOR_JWT_AUDIENCE),
      rolesClaim: config.OPERATOR_ROLES_CLAIM,
    }),
    places: placesIn(config),
    routes: [
      ...merchantRoutes({ db, peppers, announce }),
      ...paymentRoutes({ send }),
      ...refundRoutes({ send }),
      auditLogRoute({ sources: [gatewayAuditSource(db), ...serviceAuditSources(send)] }),
      ...webhookRoutes({ send, db }),
    ],
  });
}

function timeoutsOfClients(config: Config): typeof HTTP_TIMEOUTS {
  return {
    ...HTTP_TIMEOUTS,
    headersTimeout: config.CLIENT_HEADERS_TIMEOUT,
    requestTimeout: config.CLIENT_REQUEST_TIMEOUT,
    answerTimeout: config.CLIENT_ANSWER_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT,
  };
}

function sendOptions({ HANDLER_TIMEOUT, REQUEST_TIMEOUT }: Config, clock: ClockWatch): SendOptions {
  return { handlerTimeoutMs: HANDLER_TIMEOUT, requestTimeoutMs: REQUEST_TIMEOUT, clock };
}

/** The configuration has what each face needs, as its schema has checked; this tells the compiler. */
function needed<Setting>(setting: Setting | undefined): Setting {
  if (setting === undefined) throw new TypeError("a face is without a setting it needs");
  return setting;
}
