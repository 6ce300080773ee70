import {
  WEBHOOK_MANAGERS,
  WEBHOOK_MANAGERS_DEFAULT,
  type CommandReply,
  type WebhookManagers,
} from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import { lockEndpointsOf } from "../endpoint/endpoint-queries.ts";
import { audit, changerOf, type AuditedContext } from "./audit-endpoint.ts";

/**
 * A merchant's setting says who may change its endpoints. It stands here, at the service that carries the changes out: a
 * gateway that was taken over can send them for those merchants alone whose keys may (docs/adr/0073).
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
 * Carries a change out where the merchant's setting allows it to the one who asks. A refusal is a line of the audit log;
 * further ones of the same actor within an hour add none, so that a program in a loop does not fill it.
 *
 * @param change the name of the command, for the log.
 */
export async function whereAllowed<Result>(
  { db }: Deps,
  context: AuditedContext,
  { merchantId, change }: { merchantId: string; change: string },
  act: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  const [asker, managedBy] = [changerOf(context), await readManagement(db, merchantId)];
  if (WEBHOOK_MANAGERS.indexOf(asker) <= WEBHOOK_MANAGERS.indexOf(managedBy)) return await act();
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      select from audit_entry
      where subject = ${merchantId} and at > now() - interval '1 hour'
        and action = ${REFUSED} and actor = ${context.operator.name}
      limit 1`.execute(trx);
    if (rows.length === 0) await audit(trx, context, REFUSED, merchantId, { change, managedBy });
  });
  return { outcome: "problem", code: "webhook_change_not_allowed" };
}

const REFUSED = "webhook.change_refused";
