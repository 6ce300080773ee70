import {
  WEBHOOK_ENDPOINT_CHANGED,
  WEBHOOK_MANAGERS,
  WEBHOOK_MANAGERS_DEFAULT,
  type CommandReply,
  type WebhookManagers,
} from "@holdfast/contracts";
import { sql, type Kysely, type Transaction } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import {
  lockEndpoint,
  lockEndpointsOf,
  type EndpointName,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import { audit, changerOf, type AuditedContext } from "./audit-endpoint.ts";

/**
 * The merchant's setting that says who may change its endpoints. It is stored here, in the service that
 * carries out the changes: a compromised gateway can change endpoints only for merchants whose keys may do so
 * (docs/adr/0073).
 */
export async function readManagement(
  db: Kysely<WebhooksDatabase>,
  merchantId: string,
): Promise<WebhookManagers> {
  const setting = await db
    .selectFrom("merchant_setting")
    .select("managed_by")
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
  return setting?.managed_by ?? WEBHOOK_MANAGERS_DEFAULT;
}

type Deps = { db: Kysely<WebhooksDatabase> };

/** Operators say who may change a merchant's endpoints. */
export async function setManagement(
  { db }: Deps,
  context: AuditedContext,
  { merchantId, managedBy }: { merchantId: string; managedBy: WebhookManagers },
): Promise<CommandReply<{ managedBy: WebhookManagers }>> {
  await db.transaction().execute(async (trx) => {
    await lockEndpointsOf(trx, merchantId);
    const before = await readManagement(trx, merchantId);
    if (before === managedBy) return;
    await trx
      .insertInto("merchant_setting")
      .values({ merchant_id: merchantId, managed_by: managedBy })
      .onConflict((conflict) =>
        conflict.column("merchant_id").doUpdateSet({ managed_by: managedBy, updated_at: sql<Date>`now()` }),
      )
      .execute();
    await audit(trx, context, "webhook.management_set", merchantId, { from: before, to: managedBy });
  });
  return { outcome: "done", result: { managedBy } };
}

/**
 * Begins a change: until its end no other change of this merchant's endpoints or setting is made. The setting
 * may have changed since the request was admitted.
 *
 * @returns the refusal if the setting does not allow this caller the change.
 */
export async function beginChange(
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  merchantId: string,
): Promise<typeof NOT_ALLOWED | undefined> {
  await lockEndpointsOf(trx, merchantId);
  return mayChange(context, await readManagement(trx, merchantId)) ? undefined : NOT_ALLOWED;
}

/**
 * Begins a change of one endpoint, and locks it. An API key cannot change an endpoint that receives
 * `webhook.endpoint_changed`: otherwise a thief of the key would first silence the report of the other
 * changes.
 */
export async function beginChangeOf(
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  name: EndpointName,
): Promise<EndpointRow | typeof NOT_ALLOWED | undefined> {
  const refused = await beginChange(trx, context, name.merchantId);
  if (refused) return refused;
  const endpoint = await lockEndpoint(trx, name);
  const isObserver = endpoint?.events.includes(WEBHOOK_ENDPOINT_CHANGED);
  return context.byKey && isObserver ? NOT_ALLOWED : endpoint;
}

function mayChange(context: AuditedContext, managedBy: WebhookManagers): boolean {
  return WEBHOOK_MANAGERS.indexOf(changerOf(context)) <= WEBHOOK_MANAGERS.indexOf(managedBy);
}

export const NOT_ALLOWED = { outcome: "problem", code: "webhook_change_not_allowed" } as const;

/**
 * Carries out a change if the merchant's setting allows it to the caller; the change checks this again in its
 * transaction (see `beginChange`). A refusal is a line of the audit log. Further refusals of the same actor
 * within an hour add none, so that a program in a loop does not fill the log.
 *
 * @param change the name of the command, for the log.
 */
export async function whereAllowed<Result>(
  { db }: Deps,
  context: AuditedContext,
  { merchantId, change }: { merchantId: string; change: string },
  act: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const reply = mayChange(context, await readManagement(db, merchantId)) ? await act() : NOT_ALLOWED;
  if (reply.outcome !== "problem" || reply.code !== NOT_ALLOWED.code) return reply;
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      select from audit_entry
      where subject = ${merchantId} and at > now() - interval '1 hour'
        and action = ${REFUSED} and actor = ${context.operator.name}
      limit 1`.execute(trx);
    if (rows.length > 0) return;
    const managedBy = await readManagement(trx, merchantId);
    await audit(trx, context, REFUSED, merchantId, { change, managedBy });
  });
  return reply;
}

const REFUSED = "webhook.change_refused";
