import { auditForbidden, nudgeAfterEach, staffOf, type AuditWatch } from "@holdfast/audit";
import { endCredential, makeCredential, staffVersionOf, type StaffContext } from "@holdfast/contracts";
import {
  handler,
  logHandled,
  serve,
  type Bus,
  type ForbiddenAttempt,
  type Serving,
} from "@holdfast/messaging";
import { staffAdmission } from "@holdfast/operator-token";
import type { ClockWatch } from "@holdfast/postgres";
import { sealReply } from "@holdfast/sealing";
import type { KeyRing, Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { needed, type Config } from "../config.ts";
import type { GatewayDatabase } from "../database.ts";
import { permitsIn } from "../limits/in-flight-limit.ts";
import { announceCredentialChanges, type AnnounceChange } from "../merchant/credential-changes.ts";
import { askedCredential, isApiKey, issueCredential } from "../merchant/credential.ts";
import * as queries from "../merchant/merchant-queries.ts";

type Deps = {
  bus: Bus;
  db: Kysely<GatewayDatabase>;
  clock: ClockWatch;
  log: Logger;
  auditWatch: AuditWatch;
};

/**
 * Serves changes of API keys to the staff's listener, whose database role may make none. The person's token is verified
 * here and names the merchant.
 */
export async function serveStaffCredentials(
  config: Config,
  { bus, db, clock, log, auditWatch }: Deps,
): Promise<Serving> {
  const peppers = needed(config.CREDENTIAL_PEPPERS);
  return await serve(bus, {
    service: "gateway",
    permits: permitsIn(config),
    share: config.REQUESTS_IN_FLIGHT_SHARE,
    clock,
    staff: staffAdmission(config, log, (attempt: ForbiddenAttempt) => auditForbidden(db, attempt)),
    onHandled: logHandled(log),
    handlers: nudgeAfterEach(
      auditWatch,
      staffCredentialHandlers({ db, peppers, announce: announceCredentialChanges(bus) }),
    ),
  });
}

function staffCredentialHandlers({
  db,
  peppers,
  announce,
}: {
  db: Kysely<GatewayDatabase>;
  peppers: KeyRing;
  announce: AnnounceChange;
}) {
  return [
    handler(staffVersionOf(makeCredential), async ({ context, payload: { recipientKey, ...asked } }) => {
      const credential = issueCredential(peppers, askedCredential(asked));
      const { apiKey, apiSecret } = credential;
      const isAdded = await queries.insertCredential(db, merchantOf(context), credential, actorOf(context));
      if (!isAdded) return { outcome: "problem", code: "merchant_not_found" };
      return { outcome: "done", result: { apiKey, secret: sealReply(recipientKey, apiSecret) } };
    }),
    handler(staffVersionOf(endCredential), async ({ context, payload: { apiKey } }) => {
      const key = isApiKey(apiKey) ? apiKey : "";
      const found = await queries.revokeCredential(db, merchantOf(context), key, actorOf(context));
      if (!found.credential) return { outcome: "problem", code: "credential_not_found" };
      announce(merchantOf(context));
      return { outcome: "done", result: {} };
    }),
  ];
}

/** The merchant that the token names, and none that the request does. */
function merchantOf({ operator }: StaffContext): string {
  return operator.staffOf!;
}

function actorOf({ operator, requestId }: StaffContext): queries.Actor {
  return { subject: operator.name, person: operator.person, requestId, ...staffOf(operator) };
}
