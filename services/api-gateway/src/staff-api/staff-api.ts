import { nudgeAfterEach, type AuditWatch } from "@holdfast/audit";
import type { MerchantSettings } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import { createVerifyStaffToken } from "@holdfast/operator-token";
import type { ClockWatch } from "@holdfast/postgres";
import type { Logger } from "@holdfast/service-runtime";
import type { Router } from "express";
import type { Kysely } from "kysely";
import { createSendStaffCommand, sendOptions } from "../bus/send-command.ts";
import { keyLeaseMs } from "../bus/wait-settings.ts";
import { needed, type Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { createRouter } from "../endpoint/create-router.ts";
import { createNoteExport } from "../endpoint/note-export.ts";
import { bodiesIn } from "../limits/body-limit.ts";
import { permitsIn } from "../limits/in-flight-limit.ts";
import { createMerchantRateLimit } from "../limits/merchant-rate-limit.ts";
import { createRefusedAttempts } from "../limits/refused-attempts.ts";
import { signInLimitsIn } from "../limits/sign-in-limits.ts";
import { listDepsIn } from "../lists/list-deps.ts";
import { findPayee, type Payee } from "../merchant/find-payee.ts";
import { isRefused } from "../operator-api/refused-operator-queries.ts";
import { createCarryOutOnce } from "../operator-keys/carry-out-once.ts";
import { authenticateStaff } from "./authenticate-staff.ts";
import { staffRoutes } from "./staff-routes.ts";

type Deps = {
  bus: Bus;
  db: Kysely<GatewayDatabase>;
  clock: ClockWatch;
  log: Logger;
  auditWatch: AuditWatch;
};

/** The listener for merchants' staff. */
export function staffApi(config: Config, { db, bus, clock, log, auditWatch }: Deps): Router {
  return createRouter({
    prefix: "/staff",
    authenticate: authenticateStaff({
      verify: needed(createVerifyStaffToken(config, log)),
      limits: signInLimitsIn(config),
      isRefused: (person) => isRefused(db, person),
      clock,
      findMerchant: async (merchantId) => {
        const payee = await findPayee(db, merchantId);
        return payee?.isActive ? settingsOfPayee(payee) : undefined;
      },
    }),
    limitRate: createMerchantRateLimit(config.RATE_LIMIT_PER_SECOND),
    bodies: bodiesIn(config),
    permits: permitsIn(config),
    refusedAttempts: createRefusedAttempts(db, config.REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR),
    noteExport: createNoteExport(db),
    carryOutOnce: createCarryOutOnce({
      db,
      table: "staff_key",
      peppers: needed(config.CREDENTIAL_PEPPERS),
      leaseMs: keyLeaseMs(config),
    }),
    share: config.REQUESTS_IN_FLIGHT_SHARE,
    routes: nudgeAfterEach(
      auditWatch,
      staffRoutes({
        send: createSendStaffCommand(bus, sendOptions(config, { clock, log })),
        db,
        lists: listDepsIn(config),
        publicUrl: needed(config.PUBLIC_URL),
        issuer: config.COMPANY_NAME,
      }),
    ),
  });
}

function settingsOfPayee({ commission, rules }: Payee): MerchantSettings {
  return { ...(commission && { commission }), ...(rules && { rules }) };
}
