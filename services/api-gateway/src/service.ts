import { merchantOperations, type GatewayListener } from "@holdfast/contracts";
import { watchAuditHead } from "@holdfast/audit";
import { createClientAddress } from "@holdfast/http-server";
import { createCardSealer } from "@holdfast/sealing";
import { busOptions, connectBus, followLogLevel, type Bus } from "@holdfast/messaging";
import {
  awaitSchema,
  createDatabase,
  createPool,
  startClockWatch,
  type ClockWatch,
} from "@holdfast/postgres";
import {
  startHealth,
  startPurges,
  stopInOrder,
  type Logger,
  type PeriodicTask,
  type RunningService,
  checkThat,
  dependencyServers,
  startCertificateWatch,
} from "@holdfast/service-runtime";
import { Router } from "express";
import type { Kysely } from "kysely";
import { createSendCommand, sendOptions } from "./bus/send-command.ts";
import { needed, tlsFilesOf, type Config } from "./config.ts";
import { MIGRATIONS, type GatewayDatabase } from "./database.ts";
import { listenerOf } from "./listeners.ts";
import { apiDescription } from "./endpoint/api-description.ts";
import { createRouter } from "./endpoint/create-router.ts";
import { requireRoutes } from "./endpoint/forward.ts";
import type { ListenerState } from "./http/exchange.ts";
import { watchForwarding } from "./http/watch-forwarding.ts";
import { startListener } from "./http/listener.ts";
import { clientTimeouts } from "./http/client-timeouts.ts";
import { retentionPolicy } from "./retention-policy.ts";
import { bodiesIn } from "./limits/body-limit.ts";
import { permitsIn } from "./limits/in-flight-limit.ts";
import { listDepsIn } from "./lists/list-deps.ts";
import { createMerchantRateLimit } from "./limits/merchant-rate-limit.ts";
import { signInLimitsIn } from "./limits/sign-in-limits.ts";
import { operatorApi } from "./operator-api/operator-api.ts";
import { authenticateMerchant } from "./merchant-api/authenticate-merchant.ts";
import { binRoute } from "./merchant-api/bin.ts";
import { cancelRoute, captureRoute } from "./merchant-api/capture-and-cancel.ts";
import { checkoutListRoute } from "./merchant-api/checkout-list.ts";
import { paymentLinkRoutes } from "./merchant-api/payment-links.ts";
import { cancelCheckoutRoute, createCheckoutRoute, getCheckoutRoute } from "./merchant-api/checkout.ts";
import { paymentListRoutes } from "./merchant-api/payment-list.ts";
import { paymentRoute } from "./merchant-api/payment.ts";
import { preAuthorizationRoute } from "./merchant-api/pre-authorization.ts";
import { refundRoute } from "./merchant-api/refund.ts";
import { saleRoute } from "./merchant-api/sale.ts";
import { threeDsRoute } from "./merchant-api/three-ds.ts";
import { merchantDocs } from "./merchant-docs/merchant-docs.ts";
import { followCredentialChanges } from "./merchant/credential-changes.ts";
import type { SignIn } from "./merchant/sign-in.ts";
import { refuseMissingPeppers, startSignIn } from "./merchant/start-sign-in.ts";
import { watchCredentialAge } from "./merchant/watch-credential-age.ts";
import { startLogLevels } from "./operator-api/log-levels.ts";
import { serveStaffCredentials } from "./operator-api/serve-staff-credentials.ts";
import { merchantStatementsRoute } from "./lists/statement-routes.ts";
import { ownWebhookRoutes } from "./merchant-api/own-webhooks.ts";
import { publicPages, signedSessionsOf } from "./public-pages/public-pages.ts";
import { createGenerateSession } from "./public-pages/three-ds/generate-session.ts";
import { staffApi } from "./staff-api/staff-api.ts";

export type ApiGateway = RunningService & { listener: GatewayListener; port: number; healthPort: number };

/** The whole object graph of one listener of the gateway, wired by hand. */
export async function startApiGateway(config: Config, log: Logger): Promise<ApiGateway> {
  const name = listenerOf(config);
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: name,
    log,
  });
  await awaitSchema(pool, "gateway", MIGRATIONS, log);
  const bus = await connectBus({
    ...busOptions(config),
    name,
    onStatus: (bus) => log.warn({ bus }, "bus"),
  });
  followLogLevel(bus, name, log);
  const db = createDatabase<GatewayDatabase>(pool);
  const clock = await startClockWatch({ pool, log, intervalMs: config.CLOCK_INTERVAL });
  const { tasks, ...served } = await serveListener(name, config, { bus, db, clock, log });
  const listener = await startListener({
    ...served,
    host: config.LISTEN_HOST,
    log,
    tls: tlsFilesOf(config),
    timeouts: clientTimeouts(name, config),
    connectionsMax: config.CONNECTIONS_MAX,
    clientAddress: createClientAddress(config.TRUSTED_PROXIES ?? [], watchForwarding(log, served.name)),
  });
  log.info({ listener: listener.name, port: listener.port }, "listening");
  const own = { name: listener.name, servers: listener.tlsServers };
  const certificates = startCertificateWatch({ watched: [own, ...dependencyServers(config)], log });
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    clock.database,
    checkThat("bus", () => bus.isReady),
    clock.check,
  ]);

  return {
    listener: name,
    port: listener.port,
    healthPort: health.port,
    stop: () =>
      stopInOrder(health, [
        [listener, certificates].map((each) => () => each.stop(config.DRAIN_TIMEOUT)),
        [clock, ...tasks].map((task) => () => task.stop(TASK_STOP_MS)),
        [() => bus.close(BUS_CLOSE_TIMEOUT_MS)],
        [() => pool.end()],
      ]),
  };
}

const BUS_CLOSE_TIMEOUT_MS = 2_000;
const TASK_STOP_MS = 1_000;
const STAFF_AUDIT_INTERVAL_MS = 300_000;

type Deps = { bus: Bus; db: Kysely<GatewayDatabase>; clock: ClockWatch; log: Logger };

/** The router of a listener, and the work beside it. */
type Served = {
  name: ListenerState["name"];
  port: number;
  router: Router;
  tasks: Pick<PeriodicTask, "stop">[];
};

async function serveListener(listener: GatewayListener, config: Config, deps: Deps): Promise<Served> {
  const { bus, db, log } = deps;
  switch (listener) {
    case "gateway-merchant": {
      const signIn = await startSignIn(config, db, log);
      followCredentialChanges(bus, signIn);
      const router = Router().use(merchantDocs(config), merchantApi(config, { ...deps, signIn }));
      return { name: "merchant", port: needed(config.MERCHANT_API_PORT), router, tasks: [] };
    }
    case "gateway-operator": {
      await refuseMissingPeppers(config, db, log);
      const auditWatch = watchAuditHead({ db, chain: "gateway", settings: config, log });
      const logLevels = startLogLevels({ bus, db, log });
      const api = operatorApi(config, { ...deps, auditWatch, logLevels });
      const router = Router().use(apiDescription(config, "operator"), api);
      const purges = startPurges(retentionPolicy, { deps: db, settings: config, log });
      const serving = await serveStaffCredentials(config, { ...deps, auditWatch });
      const tasks = [serving, auditWatch, logLevels, watchCredentialAge(db, config, log), ...purges];
      return { name: "operator", port: needed(config.OPERATOR_API_PORT), router, tasks };
    }
    case "gateway-public": {
      const router = publicPages(config, deps);
      return { name: "public", port: needed(config.PUBLIC_PAGES_PORT), router, tasks: [] };
    }
    case "gateway-staff": {
      // Its own entries nudge it, and the operators' listener watches the same chain.
      const intervalMs = STAFF_AUDIT_INTERVAL_MS;
      const auditWatch = watchAuditHead({ db, chain: "gateway", settings: config, log, intervalMs });
      const router = Router().use(apiDescription(config, "staff"), staffApi(config, { ...deps, auditWatch }));
      return { name: "staff", port: needed(config.STAFF_API_PORT), router, tasks: [auditWatch] };
    }
    default:
      return listener satisfies never;
  }
}

function merchantApi(config: Config, { bus, db, clock, log, signIn }: Deps & { signIn: SignIn }): Router {
  const send = createSendCommand(bus, sendOptions(config, { clock, log }));
  const cards = createCardSealer(needed(config.CARD_SEALING_KEYS));
  const publicUrl = needed(config.PUBLIC_URL);
  const generateSession = createGenerateSession(signedSessionsOf(config), publicUrl);
  const lists = listDepsIn(config);
  const routes = [
    preAuthorizationRoute({ send, cards }),
    saleRoute({ send, cards }),
    threeDsRoute({ send, cards, generateSession }),
    paymentRoute({ send }),
    ...paymentListRoutes({ send, lists }),
    captureRoute({ send }),
    cancelRoute({ send }),
    refundRoute({ send }),
    binRoute({ send }),
    createCheckoutRoute({ send, publicUrl, cards }),
    getCheckoutRoute({ send, publicUrl }),
    cancelCheckoutRoute({ send, publicUrl }),
    checkoutListRoute({ send, publicUrl, lists }),
    ...paymentLinkRoutes({ send, publicUrl, lists }),
    merchantStatementsRoute({ send, db, issuer: config.COMPANY_NAME }),
    ...ownWebhookRoutes({ send }),
  ];
  requireRoutes(routes, Object.values(merchantOperations));
  return createRouter({
    prefix: "/api",
    authenticate: authenticateMerchant(signIn, signInLimitsIn(config)),
    limitRate: createMerchantRateLimit(config.RATE_LIMIT_PER_SECOND),
    bodies: bodiesIn(config),
    permits: permitsIn(config),
    share: config.REQUESTS_IN_FLIGHT_SHARE,
    routes,
  });
}
