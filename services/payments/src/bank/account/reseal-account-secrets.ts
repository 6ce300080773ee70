import { appendAudit } from "@holdfast/audit";
import { restKeyIdOf, SecretUnreadableError } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { neededVersions, type NeededVersion } from "./account-keys-in-use.ts";
import { openAccountSecrets, sealAccountSecrets } from "./seal-account-secrets.ts";

export type Resealing = {
  /** Versions whose credentials are under the active key now and were not before. */
  versions: number;
  /** Accounts whose credentials no key of the ring opens. They are left unchanged. */
  unreadable: Set<string>;
};

/**
 * Seals credentials that are under another key again under the active key, so that the old key can leave the
 * ring. The credentials themselves stay the same, and connections to banks stay open. Each account is one
 * transaction with a line in the audit log. `payments` may run meanwhile if its ring has the active key, and
 * an interrupted run is simply repeated.
 */
export async function resealAccountSecrets(
  db: Kysely<PaymentsDatabase>,
  ring: KeyRing,
  actor: string,
): Promise<Resealing> {
  const done: Resealing = { versions: 0, unreadable: new Set() };
  const accounts = new Set((await neededVersions(db).execute()).map(({ account_id }) => account_id));
  for (const accountId of accounts) {
    await db.transaction().execute((trx) => resealAccount(trx, ring, { accountId, actor, done }));
  }
  return done;
}

async function resealAccount(
  trx: Transaction<PaymentsDatabase>,
  ring: KeyRing,
  { accountId, actor, done }: { accountId: string; actor: string; done: Resealing },
): Promise<void> {
  const stored = await neededVersions(trx)
    .where("stored.account_id", "=", accountId)
    .forNoKeyUpdate("stored")
    .execute();
  const versions: number[] = [];
  for (const row of stored.filter(({ sealed_secrets }) => restKeyIdOf(sealed_secrets) !== ring.activeId)) {
    const sealed_secrets = resealed(ring, row);
    if (!sealed_secrets) {
      done.unreadable.add(accountId);
      continue;
    }
    await trx
      .updateTable("acquirer_account_version")
      .set({ sealed_secrets })
      .where("account_id", "=", accountId)
      .where("version", "=", row.version)
      .execute();
    versions.push(row.version);
  }
  if (versions.length === 0) return;
  const detail = { key: ring.activeId, versions };
  await appendAudit(trx, { actor, action: "account.resealed", subject: accountId, detail });
  done.versions += versions.length;
}

function resealed(
  ring: KeyRing,
  { account_id, version, protocol, sealed_secrets }: NeededVersion,
): Buffer | undefined {
  const binding = { accountId: account_id, version, protocol };
  try {
    return sealAccountSecrets(ring, binding, openAccountSecrets(ring, binding, sealed_secrets));
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}
