import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { EndpointTable, WebhooksDatabase } from "../database.ts";
import { STORED_ENDPOINT_COLUMNS, type StoredEndpoint } from "./stored-endpoint.ts";

export type EndpointRow = Selectable<EndpointTable>;

/** Reads the endpoint as it is now, for an attempt. */
export async function readEndpoint(
  db: Kysely<WebhooksDatabase>,
  merchantId: string,
): Promise<StoredEndpoint | undefined> {
  return await db
    .selectFrom("endpoint")
    .select(STORED_ENDPOINT_COLUMNS)
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
}

/**
 * Locks a merchant's endpoint for a change. Where there is none yet, two requests that create one together meet at its
 * primary key.
 */
export async function lockEndpoint(
  trx: Transaction<WebhooksDatabase>,
  merchantId: string,
): Promise<EndpointRow | undefined> {
  return await trx
    .selectFrom("endpoint")
    .selectAll()
    .where("merchant_id", "=", merchantId)
    .forUpdate()
    .executeTakeFirst();
}

export async function findEndpoint(
  db: Kysely<WebhooksDatabase>,
  merchantId: string,
): Promise<EndpointRow | undefined> {
  return await db.selectFrom("endpoint").selectAll().where("merchant_id", "=", merchantId).executeTakeFirst();
}

/** Turns webhooks on with a new secret: for the first time, or after they were off. */
export async function enableEndpoint(
  trx: Transaction<WebhooksDatabase>,
  {
    merchantId,
    url,
    secret,
    requestId,
  }: { merchantId: string; url: string; secret: Buffer; requestId: string },
): Promise<void> {
  await trx
    .insertInto("endpoint")
    .values({ merchant_id: merchantId, url, secret, secret_request_id: requestId })
    .onConflict((conflict) =>
      conflict.column("merchant_id").doUpdateSet({
        url,
        secret,
        secret_request_id: requestId,
        enabled: true,
        // A version is never used twice, so that an attempt's version identifies its secret.
        secret_version: sql<number>`greatest(endpoint.secret_version, coalesce(endpoint.next_version, 0)) + 1`,
        next_secret: null,
        next_version: null,
        activates_at: null,
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute();
}

export async function changeUrl(
  trx: Transaction<WebhooksDatabase>,
  merchantId: string,
  url: string,
): Promise<void> {
  await update(trx, merchantId, { url });
}

export async function disableEndpoint(trx: Transaction<WebhooksDatabase>, merchantId: string): Promise<void> {
  await update(trx, merchantId, { enabled: false });
}

/** Stores a new secret that waits, in place of one that waits already. @returns when it becomes active. */
export async function setNextSecret(
  trx: Transaction<WebhooksDatabase>,
  merchantId: string,
  {
    secret,
    requestId,
    activateAfterMs,
    shiftMs,
  }: { secret: Buffer; requestId: string; activateAfterMs: number; shiftMs: number },
): Promise<{ version: number; activatesAt: Date }> {
  const { next_version, activates_at } = await trx
    .updateTable("endpoint")
    .set({
      next_secret: secret,
      next_version: sql<number>`coalesce(next_version, secret_version) + 1`,
      activates_at: fromNow(activateAfterMs + shiftMs),
      secret_request_id: requestId,
      updated_at: sql<Date>`now()`,
    })
    .where("merchant_id", "=", merchantId)
    .returning(["next_version", "activates_at"])
    .executeTakeFirstOrThrow();
  return { version: next_version!, activatesAt: activates_at! };
}

/** Makes the waiting secret the only one. */
export async function activateNextSecret(
  trx: Transaction<WebhooksDatabase>,
  { merchant_id, next_secret, next_version }: EndpointRow,
): Promise<void> {
  if (next_secret === null || next_version === null) return;
  await update(trx, merchant_id, {
    secret: next_secret,
    secret_version: next_version,
    next_secret: null,
    next_version: null,
    activates_at: null,
  });
}

async function update(
  trx: Transaction<WebhooksDatabase>,
  merchantId: string,
  changes: Partial<
    Pick<
      EndpointRow,
      "url" | "enabled" | "secret" | "secret_version" | "next_secret" | "next_version" | "activates_at"
    >
  >,
): Promise<void> {
  await trx
    .updateTable("endpoint")
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where("merchant_id", "=", merchantId)
    .execute();
}
