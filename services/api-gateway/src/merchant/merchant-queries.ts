import { isDeepStrictEqual } from "node:util";
import type { Merchant, MerchantChange, MerchantSettings } from "@holdfast/contracts";
import type { Pool } from "pg";
import type { AuditRecord } from "@holdfast/audit";
import { read, writeAudited } from "../database.ts";
import type { NewCredential } from "./credential.ts";
import { SETTINGS_COLUMNS, settingsOf, settingsValues, type SettingsColumns } from "./merchant-settings.ts";
import type { StoredCredential } from "./sign-in.ts";

/** Every statement on the gateway's tables. */

/** What a sign-in needs, in one read by primary key. */
export async function findCredential(pool: Pool, apiKey: string): Promise<StoredCredential | undefined> {
  type Row = SettingsColumns & {
    merchant_id: string;
    secret_hmac: Buffer;
    pepper_id: string;
    usable: boolean;
  };
  const [row] = await read<Row>(pool, {
    name: "find-credential",
    text: `
      select merchant_id, secret_hmac, pepper_id, revoked_at is null and status = 'ACTIVE' as usable,
        ${SETTINGS_COLUMNS}
      from credential join merchant using (merchant_id)
      where api_key = $1`,
    values: [apiKey],
  });
  return (
    row && {
      hash: { secretHmac: row.secret_hmac, pepperId: row.pepper_id },
      merchant: { merchantId: row.merchant_id, ...settingsOf(row) },
      usable: row.usable,
    }
  );
}

/** Who changes something, in which request. */
export type Actor = { subject: string; requestId: string };

function entry(
  { subject: actor, requestId }: Actor,
  action: string,
  merchantId: string,
  detail: Record<string, unknown>,
): AuditRecord {
  return { actor, action, subject: merchantId, detail: { requestId, ...detail } };
}

/** A merchant and its first credential: both or neither. @returns the merchant's id. */
export async function insertMerchant(
  pool: Pool,
  { name, ...settings }: { name: string } & MerchantSettings,
  { apiKey, hash }: NewCredential,
  by: Actor,
): Promise<string> {
  const statement = {
    text: `
      with new_merchant as (
        insert into merchant (name, ${SETTINGS_COLUMNS})
        values ($1, $5, $6, $7, $8, $9, $10)
        returning merchant_id)
      insert into credential (api_key, merchant_id, secret_hmac, pepper_id)
      select $2, merchant_id, $3, $4 from new_merchant
      returning merchant_id`,
    values: [name, apiKey, hash.secretHmac, hash.pepperId, ...settingsValues(settings)],
  };
  const [row] = await writeAudited<{ merchant_id: string }>(pool, statement, ([created]) =>
    entry(by, "merchant.created", created!.merchant_id, { name, ...settings, apiKey }),
  );
  return row!.merchant_id;
}

/**
 * Changes what is given. Writes down what has become different, and nothing where nothing has.
 *
 * @returns the merchant as it is now.
 */
export async function updateMerchant(
  pool: Pool,
  merchantId: string,
  { name, status, commission, rules }: MerchantChange,
  by: Actor,
): Promise<Merchant | undefined> {
  const plan = ["rate_percent", "fixed", "currency", "rules", "may_exceed_amount"].map(
    (column) => `commission_${column}`,
  );
  const types = ["numeric", "numeric", "text", "jsonb", "boolean"];
  const assignments = plan.map(
    (column, index) => `${column} = case when $4 then $${index + 6}::${types[index]} else ${column} end`,
  );
  const statement = {
    text: `
      update merchant set
        name = coalesce($2, name),
        status = coalesce($3, status),
        ${assignments.join(", ")},
        rules = case when $5 then $11::jsonb else rules end
      where merchant_id = $1
      returning ${MERCHANT_COLUMNS}, to_jsonb(old) || jsonb_build_object(
        -- As text they keep their decimals.
        'commission_rate_percent', old.commission_rate_percent::text,
        'commission_fixed', old.commission_fixed::text) as old`,
    values: [
      merchantId,
      name,
      status,
      commission !== undefined,
      rules !== undefined,
      ...settingsValues({ commission: commission ?? undefined, rules: rules ?? undefined }),
    ],
  };
  const [row] = await writeAudited<ChangedMerchantRow>(pool, statement, ([changed]) => {
    const changes = changed && changesOf(changed);
    if (!changes || Object.keys(changes).length === 0) return undefined;
    return entry(by, actionOf(changes), merchantId, { changes });
  });
  return row && toMerchant(row);
}

/** As it is, and as it was. */
type ChangedMerchantRow = MerchantRow & {
  old: SettingsColumns & { name: string; status: Merchant["status"] };
};

type MerchantChanges = Partial<
  Record<"name" | "status" | "commission" | "rules", { from: unknown; to: unknown }>
>;

/** Each member that has become different, with both values; a plan or rules that are not there are null. */
function changesOf({ old, ...row }: ChangedMerchantRow): MerchantChanges {
  const [was, is] = [settingsOf(old), settingsOf(row)];
  const members = {
    name: { from: old.name, to: row.name },
    status: { from: old.status, to: row.status },
    commission: { from: was.commission ?? null, to: is.commission ?? null },
    rules: { from: was.rules ?? null, to: is.rules ?? null },
  };
  return Object.fromEntries(
    Object.entries(members).filter(([, { from, to }]) => !isDeepStrictEqual(from, to)),
  );
}

function actionOf({ status }: MerchantChanges): string {
  if (!status) return "merchant.changed";
  return status.to === "SUSPENDED" ? "merchant.suspended" : "merchant.resumed";
}

/** @returns whether there is such a merchant. */
export async function insertCredential(
  pool: Pool,
  merchantId: string,
  { apiKey, hash }: NewCredential,
  by: Actor,
): Promise<boolean> {
  const statement = {
    text: `
      insert into credential (api_key, merchant_id, secret_hmac, pepper_id)
      select $1, merchant_id, $2, $3 from merchant where merchant_id = $4
      returning merchant_id`,
    values: [apiKey, hash.secretHmac, hash.pepperId, merchantId],
  };
  const rows = await writeAudited(
    pool,
    statement,
    ([added]) => added && entry(by, "credential.added", merchantId, { apiKey }),
  );
  return rows.length === 1;
}

/** Revokes a credential; one that was revoked keeps its time. @returns which of the two there are. */
export async function revokeCredential(
  pool: Pool,
  merchantId: string,
  apiKey: string,
  by: Actor,
): Promise<{ merchant: boolean; credential: boolean }> {
  const statement = {
    text: `
      with revoked as (
        update credential set revoked_at = coalesce(revoked_at, now())
        where merchant_id = $1 and api_key = $2
        returning api_key)
      select exists (select from merchant where merchant_id = $1) as merchant,
        exists (select from revoked) as credential`,
    values: [merchantId, apiKey],
  };
  type Found = { merchant: boolean; credential: boolean };
  const [row] = await writeAudited<Found>(pool, statement, ([found]) =>
    found?.credential ? entry(by, "credential.revoked", merchantId, { apiKey }) : undefined,
  );
  return row!;
}

export async function findMerchant(pool: Pool, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await read<MerchantRow>(pool, {
    text: `select ${MERCHANT_COLUMNS} from merchant where merchant_id = $1`,
    values: [merchantId],
  });
  return row && toMerchant(row);
}

/** Newest first. Ids are UUIDv7: going on below the last one seen, a page stays what it was whatever is added. */
export async function listMerchants(
  pool: Pool,
  limit: number,
  before: string | undefined,
): Promise<Merchant[]> {
  const rows = await read<MerchantRow>(pool, {
    text: `
      select ${MERCHANT_COLUMNS} from merchant
      where $1::uuid is null or merchant_id < $1
      order by merchant_id desc
      limit $2`,
    values: [before, limit],
  });
  return rows.map(toMerchant);
}

const MERCHANT_COLUMNS = `
  merchant_id, name, status, ${SETTINGS_COLUMNS}, created_at,
  (select coalesce(json_agg(json_build_array(api_key, created_at, revoked_at) order by created_at, api_key), '[]')
   from credential where credential.merchant_id = merchant.merchant_id) as credentials`;

type MerchantRow = SettingsColumns & {
  merchant_id: string;
  name: string;
  status: Merchant["status"];
  created_at: Date;
  credentials: [apiKey: string, createdAt: string, revokedAt: string | null][];
};

function toMerchant(row: MerchantRow): Merchant {
  return {
    merchantId: row.merchant_id,
    name: row.name,
    status: row.status,
    ...settingsOf(row),
    createdAt: row.created_at.toISOString(),
    credentials: row.credentials.map(([apiKey, createdAt, revokedAt]) => ({
      apiKey,
      createdAt: new Date(createdAt).toISOString(),
      ...(revokedAt !== null && { revokedAt: new Date(revokedAt).toISOString() }),
    })),
  };
}
