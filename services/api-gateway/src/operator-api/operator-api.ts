import { operatorOperations } from "@holdfast/contracts";
import { nudgeAfterEach, type AuditWatch } from "@holdfast/audit";
import { createVerifyToken } from "@holdfast/operator-token";
import { Router } from "express";
import { createSendOperatorCommand, sendOptions } from "../bus/send-command.ts";
import { keyLeaseMs } from "../bus/wait-settings.ts";
import { needed, type Config } from "../config.ts";
import { createRouter } from "../endpoint/create-router.ts";
import { forwardedRoutes, requireRoutes } from "../endpoint/forward.ts";
import { createNoteExport } from "../endpoint/note-export.ts";
import { bodiesIn } from "../limits/body-limit.ts";
import { permitsIn } from "../limits/in-flight-limit.ts";
import { listDepsIn } from "../lists/list-deps.ts";
import { createRefusedAttempts } from "../limits/refused-attempts.ts";
import { signInLimitsIn } from "../limits/sign-in-limits.ts";
import { announceCredentialChanges } from "../merchant/credential-changes.ts";
import { auditLogRoute, gatewayAuditSource, serviceAuditSources } from "./audit-log.ts";
import { authenticateOperator } from "./authenticate-operator.ts";
import type { LogLevels } from "./log-levels.ts";
import { operatorListRoutes } from "./lists.ts";
import { merchantRoutes } from "./merchants.ts";
import { acquirerAccountRoutes } from "./acquirer-accounts.ts";
import { paymentLifeRoute } from "./payment-life.ts";
import { proposalsRoute } from "./proposals.ts";
import { refundRoutes } from "./refunds.ts";
import { isRefused } from "./refused-operator-queries.ts";
import { createCarryOutOnce } from "../operator-keys/carry-out-once.ts";
import { refusedOperatorRoutes } from "./refused-operators.ts";
import { searchRoute } from "./search.ts";
import { operatorStatementsRoute } from "../lists/statement-routes.ts";
import { chargebackRoutes } from "./chargebacks.ts";
import { settlementRoutes } from "./settlements.ts";
import { failingWebhooksRoute } from "./failing-webhooks.ts";
import { merchantWebhookRoutes } from "./merchant-webhooks.ts";
import { webhookRoutes } from "./webhooks.ts";
import type { Bus } from "@holdfast/messaging";
import type { ClockWatch } from "@holdfast/postgres";
import type { Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";

type Deps = {
  bus: Bus;
  db: Kysely<GatewayDatabase>;
  clock: ClockWatch;
  log: Logger;
  auditWatch: AuditWatch;
  logLevels: LogLevels;
};

/** The listener for operators. */
export function operatorApi(config: Config, deps: Deps): Router {
  const { db, bus, clock, log, auditWatch, logLevels } = deps;
  const send = createSendOperatorCommand(bus, sendOptions(config, { clock, log }));
  const peppers = needed(config.CREDENTIAL_PEPPERS);
  const lists = listDepsIn(config);
  const written = [
    ...nudgeAfterEach(
      auditWatch,
      merchantRoutes({ db, peppers, announce: announceCredentialChanges(bus), lists, config }),
    ),
    ...operatorListRoutes({ send, db, lists }),
    proposalsRoute({ send, db, lists }),
    searchRoute({ send, db, findsMerchants: true }),
    paymentLifeRoute({ send, db }),
    ...acquirerAccountRoutes({ send, db }),
    ...refundRoutes({ send }).concat(chargebackRoutes({ send }), settlementRoutes({ send, db, lists })),
    operatorStatementsRoute({ send, db, issuer: config.COMPANY_NAME }),
    auditLogRoute({ sources: [gatewayAuditSource(db), ...serviceAuditSources(send)], lists }),
    ...merchantWebhookRoutes({ send, db }),
    failingWebhooksRoute({ send, db }),
    ...webhookRoutes({ send, db, lists }),
    ...refusedOperatorRoutes({ db, config }),
    ...nudgeAfterEach(auditWatch, logLevels.routes),
  ];
  const routes = [...written, ...forwardedRoutes({ send, db }, written)];
  requireRoutes(routes, Object.values(operatorOperations));
  return createRouter({
    prefix: "/operator",
    authenticate: authenticateOperator({
      verify: createVerifyToken(config, log),
      limits: signInLimitsIn(config),
      isRefused: (person) => isRefused(db, person),
      clock,
    }),
    bodies: bodiesIn(config),
    permits: permitsIn(config),
    refusedAttempts: createRefusedAttempts(db, config.REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR),
    noteExport: createNoteExport(db),
    carryOutOnce: createCarryOutOnce({ db, table: "operator_key", peppers, leaseMs: keyLeaseMs(config) }),
    share: config.REQUESTS_IN_FLIGHT_SHARE,
    routes,
  });
}
