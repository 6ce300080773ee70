import { isDeepStrictEqual } from "node:util";
import { appendAudit, staffOf } from "@holdfast/audit";
import { idInMode, type Merchant, type MerchantChange, type MerchantSettings } from "@holdfast/contracts";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import { read, write, type GatewayDatabase, type MerchantTable } from "../database.ts";
import { isTestKey, type NewCredential, type SecretHash, type SecretProof } from "./credential.ts";
import { commissionColumns, rulesColumn, SETTINGS_COLUMNS, settingsOf } from "./merchant-settings.ts";
import { merchantColumns, toMerchant, type MerchantRow } from "./merchant-row.ts";
import { mayUse } from "./restrictions.ts";
import type { StoredCredential } from "./sign-in.ts";

type Db = Kysely<GatewayDatabase>;

/** Every statement on the gateway's tables. */

/** Reads all that a sign-in needs, by primary key. */
export async function findCredential(db: Db, apiKey: string): Promise<StoredCredential | undefined> {
  const query = db
    .selectFrom("credential")
    .innerJoin("merchant", "merchant.merchant_id", "credential.merchant_id")
    .select(["merchant.merchant_id", "status", ...SETTINGS_COLUMNS])
    .select(["secret_hash", "pepper_id", "revoked_at", "issued_by", "expires_at", "addresses"])
    .select(sql<number | null>`last_used_on - date '1970-01-01'`.as("last_used_day"))
    .where("api_key", "=", apiKey);
  const row = await read(query.executeTakeFirst());
  return (
    row && {
      hash: { secretHash: row.secret_hash, pepperId: row.pepper_id },
      merchant: {
        merchantId: idInMode(row.merchant_id, !isTestKey(apiKey)),
        ...settingsOf(row),
        credentialIssuedBy: row.issued_by,
      },
      usable: row.revoked_at === null && row.status === "ACTIVE",
      ...((row.expires_at || row.addresses) && {
        mayUse: mayUse({ expiresAt: row.expires_at ?? undefined, addresses: row.addresses ?? undefined }),
      }),
      lastUsedDay: row.last_used_day ?? undefined,
    }
  );
}

/**
 * Puts a secret's hash under another pepper, unless another process was first or the credential is revoked. The role
 * may not write hashes itself: the database's function changes nothing else, and nothing without the proof.
 */
export async function replaceHash(db: Db, apiKey: string, from: SecretProof, to: SecretHash): Promise<void> {
  const { secretHash, pepperId } = to;
  const call = sql`select replace_secret_hash(${apiKey}, ${from.pepperId}, ${from.secretHmac}, ${pepperId}, ${secretHash})`;
  await read(call.execute(db));
}

/** Notes that a credential was used today. The role may write nothing else about it. */
export async function noteCredentialUse(db: Db, apiKey: string): Promise<void> {
  await read(sql`select note_credential_use(${apiKey})`.execute(db));
}

/** The author of a change, and the request. */
export type Actor = { subject: string; person: string; requestId: string; staffOf?: string };

/** Further work in the transaction that adds a credential: it keeps the answer under the request's Idempotency-Key. */
type Beside<Added extends unknown[]> = (
  trx: Transaction<GatewayDatabase>,
  ...added: Added
) => Promise<void> | undefined;

/** A merchant and its first credential: both or neither. @returns the merchant's id. */
export async function insertMerchant(
  db: Db,
  { name, ...settings }: { name: string } & MerchantSettings,
  credential: NewCredential,
  by: Actor,
  beside: Beside<[merchantId: string]>,
): Promise<string> {
  const { commission, rules } = settings;
  return await write(db, async (trx) => {
    const { merchant_id: merchantId } = await trx
      .insertInto("merchant")
      .values({ name, ...commissionColumns(commission), ...rulesColumn(rules) })
      .returning("merchant_id")
      .executeTakeFirstOrThrow();
    await trx
      .insertInto("credential")
      .values(credentialRow(merchantId, credential, by))
      .execute();
    const { apiKey } = credential;
    await audit(trx, by, "merchant.created", merchantId, { name, ...settings, apiKey });
    await beside(trx, merchantId);
    return merchantId;
  });
}

/**
 * Changes the given fields. The audit log gets the fields that became different, and no entry if none did.
 *
 * @param change `version`: the version that the change was made from, if known.
 * @returns the merchant after the change, or the reason why it was not changed.
 */
export async function updateMerchant(
  db: Db,
  merchantId: string,
  { version, name, status, commission, rules, branding }: MerchantChange,
  by: Actor,
): Promise<Changed> {
  return await write(db, async (trx): Promise<Changed> => {
    const row = await trx
      .updateTable("merchant")
      .set({
        ...(name !== undefined && { name }),
        ...(status !== undefined && { status }),
        ...(commission !== undefined && commissionColumns(commission)),
        ...(rules !== undefined && rulesColumn(rules)),
        ...(branding !== undefined && { branding: branding && JSON.stringify(branding) }),
      })
      .where("merchant_id", "=", merchantId)
      .$if(version !== undefined, (query) => query.where("version", "=", version!))
      .returning(merchantColumns)
      .returning(THE_ROW_BEFORE)
      .executeTakeFirst();
    if (!row) return (await merchantExists(trx, merchantId)) ? "changed_since_read" : "merchant_not_found";
    const changes = changesOf(row);
    if (Object.keys(changes).length === 0) return toMerchant(row);
    await audit(trx, by, actionOf(changes), merchantId, { changes });
    const next = await trx
      .updateTable("merchant")
      .set({ version: row.version + 1 })
      .where("merchant_id", "=", merchantId)
      .returning("version")
      .executeTakeFirstOrThrow();
    return toMerchant({ ...row, ...next });
  });
}

type Changed = Merchant | "merchant_not_found" | "changed_since_read";

type RowBefore = Omit<Selectable<MerchantTable>, "created_at">;

/** In JSON a decimal would become a number and lose its trailing zeros: as text it keeps them. */
const THE_ROW_BEFORE = sql<RowBefore>`to_jsonb(old) || jsonb_build_object(
  'commission_rate_percent', old.commission_rate_percent::text,
  'commission_fixed', old.commission_fixed::text)`.as("old");

type MerchantChanges = Partial<
  Record<"name" | "status" | "commission" | "rules" | "branding", { from: unknown; to: unknown }>
>;

/** Each member that has become different, with both values; a missing plan and missing rules are null. */
function changesOf({ old, ...row }: MerchantRow & { old: RowBefore }): MerchantChanges {
  const [was, is] = [settingsOf(old), settingsOf(row)];
  const members = {
    name: { from: old.name, to: row.name },
    status: { from: old.status, to: row.status },
    commission: { from: was.commission ?? null, to: is.commission ?? null },
    rules: { from: was.rules ?? null, to: is.rules ?? null },
    branding: { from: old.branding, to: row.branding },
  };
  return Object.fromEntries(
    Object.entries(members).filter(([, { from, to }]) => !isDeepStrictEqual(from, to)),
  );
}

function actionOf({ status }: MerchantChanges): string {
  if (!status) return "merchant.changed";
  return status.to === "SUSPENDED" ? "merchant.suspended" : "merchant.resumed";
}

/** @returns false if there is no such merchant. */
export async function insertCredential(
  db: Db,
  merchantId: string,
  credential: NewCredential,
  by: Actor,
  beside?: Beside<[]>,
): Promise<boolean> {
  return await write(db, async (trx) => {
    if (!(await merchantExists(trx, merchantId))) return false;
    await trx
      .insertInto("credential")
      .values(credentialRow(merchantId, credential, by))
      .execute();
    const { apiKey, livemode, expiresAt, addresses } = credential;
    await audit(trx, by, "credential.added", merchantId, {
      apiKey,
      livemode,
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      ...(addresses && { addresses }),
    });
    await beside?.(trx);
    return true;
  });
}

function credentialRow(merchantId: string, { apiKey, hash, expiresAt, addresses }: NewCredential, by: Actor) {
  return {
    api_key: apiKey,
    merchant_id: merchantId,
    secret_hash: hash.secretHash,
    pepper_id: hash.pepperId,
    issued_by: by.person,
    expires_at: expiresAt ?? null,
    addresses: addresses ? [...addresses] : null,
  };
}

/**
 * Revokes a credential; one that was revoked before keeps its time. @returns whether the merchant and the
 * credential exist.
 */
export async function revokeCredential(
  db: Db,
  merchantId: string,
  apiKey: string,
  by: Actor,
): Promise<{ merchant: boolean; credential: boolean }> {
  return await write(db, async (trx) => {
    const revoked = await trx
      .updateTable("credential")
      .set(({ fn }) => ({ revoked_at: fn.coalesce("revoked_at", fn<Date>("now")) }))
      .where("merchant_id", "=", merchantId)
      .where("api_key", "=", apiKey)
      .returning("api_key")
      .executeTakeFirst();
    if (!revoked) return { merchant: await merchantExists(trx, merchantId), credential: false };
    await audit(trx, by, "credential.revoked", merchantId, { apiKey });
    return { merchant: true, credential: true };
  });
}

async function merchantExists(trx: Transaction<GatewayDatabase>, merchantId: string): Promise<boolean> {
  const found = trx.selectFrom("merchant").select("merchant_id").where("merchant_id", "=", merchantId);
  return (await found.executeTakeFirst()) !== undefined;
}

async function audit(
  trx: Transaction<GatewayDatabase>,
  { subject: actor, requestId, ...whose }: Actor,
  action: string,
  merchantId: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await appendAudit(trx, {
    actor,
    action,
    subject: merchantId,
    detail: { requestId, ...staffOf(whose), ...detail },
  });
}

export async function findMerchant(db: Db, merchantId: string): Promise<Merchant | undefined> {
  const query = db.selectFrom("merchant").select(merchantColumns).where("merchant_id", "=", merchantId);
  const row = await read(query.executeTakeFirst());
  return row && toMerchant(row);
}

/** Newest first. Ids are UUIDv7, and a page continues below the last one seen, so new rows do not change it. */
export async function listMerchants(db: Db, limit: number, before: string | undefined): Promise<Merchant[]> {
  const query = db
    .selectFrom("merchant")
    .select(merchantColumns)
    .$if(before !== undefined, (all) => all.where("merchant_id", "<", before!))
    .orderBy("merchant_id", "desc")
    .limit(limit);
  // 200 logos would be larger than everything else on a page.
  return (await read(query.execute())).map((row) => toMerchant({ ...row, branding: null }));
}
