import type { EventType } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { EndpointTable, WebhooksDatabase } from "../database.ts";
import { STORED_ENDPOINT_COLUMNS, type StoredEndpoint } from "./stored-endpoint.ts";

export type EndpointRow = Selectable<EndpointTable>;

/** An endpoint of a merchant. */
export type EndpointName = { merchantId: string; endpointId: string };

/** Reads the endpoint as it is now, for an attempt. */
export async function readEndpoint(
  db: Kysely<WebhooksDatabase>,
  endpointId: string,
): Promise<StoredEndpoint | undefined> {
  return await db
    .selectFrom("endpoint")
    .select(STORED_ENDPOINT_COLUMNS)
    .where("endpoint_id", "=", endpointId)
    .executeTakeFirst();
}

/**
 * Locks an endpoint for a change. Events are accepted meanwhile: a new delivery asks for the key of its endpoint, which no
 * change touches. Where there is no default endpoint yet, two requests that create one together meet at its primary key.
 */
export async function lockEndpoint(
  trx: Transaction<WebhooksDatabase>,
  name: EndpointName,
): Promise<EndpointRow | undefined> {
  return await select(trx, name).forNoKeyUpdate().executeTakeFirst();
}

export async function findEndpoint(
  db: Kysely<WebhooksDatabase>,
  name: EndpointName,
): Promise<EndpointRow | undefined> {
  return await select(db, name).executeTakeFirst();
}

function select(db: Kysely<WebhooksDatabase>, { merchantId, endpointId }: EndpointName) {
  return db
    .selectFrom("endpoint")
    .selectAll()
    .where("endpoint_id", "=", endpointId)
    .where("merchant_id", "=", merchantId)
    .where("state", "<>", "removed");
}

/** Tells an endpoint that was removed a while ago from one that never was. */
export async function wasRemoved(
  db: Kysely<WebhooksDatabase>,
  { merchantId, endpointId }: EndpointName,
): Promise<boolean> {
  const row = await db
    .selectFrom("endpoint")
    .select("endpoint_id")
    .where("endpoint_id", "=", endpointId)
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
  return row !== undefined;
}

/** A merchant's endpoints, also those that are switched off, the default one first. Their number has a bound. */
export async function findEndpointsOf(
  db: Kysely<WebhooksDatabase>,
  merchantId: string,
): Promise<EndpointRow[]> {
  return await db
    .selectFrom("endpoint")
    .selectAll()
    .where("merchant_id", "=", merchantId)
    .where("state", "<>", "removed")
    .orderBy(sql`endpoint_id <> merchant_id`)
    .orderBy("created_at")
    .orderBy("endpoint_id")
    .execute();
}

/**
 * Changes of one merchant's endpoints wait for each other, so that each sees their number and their URLs as they are.
 */
export async function lockEndpointsOf(trx: Transaction<WebhooksDatabase>, merchantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks.endpoints:${merchantId}`}, 0))`.execute(
    trx,
  );
}

/** Adds the default endpoint with a new secret: for the first time, or after it was removed. */
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
    .values({
      endpoint_id: merchantId,
      merchant_id: merchantId,
      url,
      secret,
      secret_request_id: requestId,
    })
    .onConflict((conflict) =>
      conflict.column("endpoint_id").doUpdateSet({
        url,
        secret,
        secret_request_id: requestId,
        state: "on",
        attempts_until: null,
        events: (eb) => eb.ref("excluded.events"),
        version: sql<number>`endpoint.version + 1`,
        // A version is never used twice, so that an attempt's version identifies its secret.
        secret_version: sql<number>`greatest(endpoint.secret_version, coalesce(endpoint.next_version, 0)) + 1`,
        next_secret: null,
        next_version: null,
        activates_at: null,
        headers: null,
        header_names: [],
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute();
}

/** Adds an endpoint beside the default one. */
export async function insertEndpoint(
  trx: Transaction<WebhooksDatabase>,
  endpoint: {
    endpoint_id: string;
    merchant_id: string;
    url: string;
    events: EventType[];
    secret: Buffer;
    secret_request_id: string;
    headers: Buffer | null;
    header_names: string[];
  },
): Promise<EndpointRow> {
  return await trx.insertInto("endpoint").values(endpoint).returningAll().executeTakeFirstOrThrow();
}

/** Stores a new secret that waits, in place of one that waits already. @returns when it becomes active. */
export async function setNextSecret(
  trx: Transaction<WebhooksDatabase>,
  endpointId: string,
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
    .where("endpoint_id", "=", endpointId)
    .returning(["next_version", "activates_at"])
    .executeTakeFirstOrThrow();
  return { version: next_version!, activatesAt: activates_at! };
}

/** Makes the waiting secret the only one. */
export async function activateNextSecret(
  trx: Transaction<WebhooksDatabase>,
  { endpoint_id, next_secret, next_version }: EndpointRow,
): Promise<void> {
  if (next_secret === null || next_version === null) return;
  await updateEndpoint(trx, endpoint_id, {
    secret: next_secret,
    secret_version: next_version,
    next_secret: null,
    next_version: null,
    activates_at: null,
  });
}

export async function updateEndpoint(
  trx: Transaction<WebhooksDatabase>,
  endpointId: string,
  changes: Partial<
    Pick<
      EndpointRow,
      | "url"
      | "events"
      | "version"
      | "state"
      | "attempts_until"
      | "secret"
      | "secret_version"
      | "next_secret"
      | "next_version"
      | "activates_at"
      | "headers"
      | "header_names"
    >
  >,
): Promise<void> {
  await trx
    .updateTable("endpoint")
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where("endpoint_id", "=", endpointId)
    .execute();
}
