import { restKeyIdOf } from "@holdfast/sealing";
import type { RingInUse } from "@holdfast/postgres";
import type { KeyRing } from "@holdfast/service-runtime";
import { sql, type Kysely, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { VersionRow } from "./account-queries.ts";

/** The ring without `ACCOUNT_SECRET_KEYS`: it seals nothing, and all that is sealed lacks its key. */
const NO_RING: KeyRing = { activeId: "", keys: new Map() };

/** The ring of accounts' credentials, and the credentials that need its keys. */
export function accountKeysInUse(ring: KeyRing | undefined): RingInUse<PaymentsDatabase> {
  return {
    setting: "ACCOUNT_SECRET_KEYS",
    ring: ring ?? NO_RING,
    rowsAre: "accounts' credentials",
    rows: countByKey,
  };
}

async function countByKey(db: Kysely<PaymentsDatabase>): Promise<Map<string, bigint>> {
  const counts = new Map<string, bigint>();
  for (const { sealed_secrets } of await neededVersions(db).execute()) {
    const id = restKeyIdOf(sealed_secrets);
    counts.set(id, (counts.get(id) ?? 0n) + 1n);
  }
  return counts;
}

export type NeededVersion = Pick<VersionRow, "account_id" | "version" | "sealed_secrets"> & {
  protocol: string;
};

/**
 * Each account's version in use, and the last proposed one if it may still be confirmed. No other versions
 * are ever opened, so replaced credentials become unreadable with their key.
 */
export function neededVersions(db: Kysely<PaymentsDatabase> | Transaction<PaymentsDatabase>) {
  return db
    .selectFrom("acquirer_account_version as stored")
    .innerJoin("acquirer_account as account", "account.account_id", "stored.account_id")
    .select(["stored.account_id", "stored.version", "stored.sealed_secrets", "account.protocol"])
    .where((eb) =>
      eb.or([
        eb("stored.version", "=", eb.ref("account.version")),
        eb(
          "stored.version",
          "=",
          eb
            .selectFrom("acquirer_account_version as last")
            .select(sql<number>`max(last.version)`.as("version"))
            .whereRef("last.account_id", "=", "account.account_id"),
        ),
      ]),
    )
    .orderBy("stored.account_id")
    .orderBy("stored.version");
}
