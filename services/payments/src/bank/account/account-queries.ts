import {
  nameOf,
  isLive,
  type AcquirerAccount,
  type InstallmentPrice,
  type InstallmentPrices,
} from "@holdfast/contracts";
import { isDeepStrictEqual } from "node:util";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type {
  AccountAttributes,
  AcquirerAccountTable,
  AcquirerAccountVersionTable,
} from "./account-tables.ts";

type Trx = Transaction<PaymentsDatabase>;
export type AccountRow = Selectable<AcquirerAccountTable>;
export type VersionRow = Selectable<AcquirerAccountVersionTable>;

/** An account with the version in use, the one that confirmed its credentials, and the latest proposal, if there is one. */
export type StoredAccount = {
  account: AccountRow;
  current?: VersionRow;
  proposal?: VersionRow;
  secretsSince?: Date;
};

/** All accounts by name, or one. */
export async function findAccounts(
  db: Kysely<PaymentsDatabase>,
  accountId?: string,
): Promise<StoredAccount[]> {
  const accounts = await db
    .selectFrom("acquirer_account")
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId!))
    .orderBy("name")
    .execute();
  if (accounts.length === 0) return [];
  const ids = accounts.map(({ account_id }) => account_id);
  const versions = await db
    .selectFrom("acquirer_account_version")
    .selectAll()
    .where("account_id", "in", ids)
    .orderBy("version")
    .execute();
  return accounts.map((account) => {
    const own = versions.filter(({ account_id }) => account_id === account.account_id);
    const current = own.find(({ version }) => version === account.version);
    const last = own.at(-1);
    const isProposal =
      last !== undefined && last.confirmed_at === null && last.version > (account.version ?? 0);
    const secretsSince = secretsSinceOf(own.filter(({ version }) => version <= (account.version ?? 0)));
    return {
      account,
      ...(current && { current }),
      ...(isProposal && { proposal: last }),
      ...(secretsSince && { secretsSince }),
    };
  });
}

/**
 * The time since which the credentials are in use. @param versions the versions up to the current one, some
 * of which nobody confirmed.
 */
function secretsSinceOf(versions: readonly VersionRow[]): Date | undefined {
  const confirmed = versions.filter(({ confirmed_at }) => confirmed_at !== null);
  // An account's first credentials may come from a proposal that was replaced before anybody confirmed it.
  const since = confirmed.findLast(({ attributes }) => attributes.secretsChange) ?? confirmed[0];
  return since?.confirmed_at ?? undefined;
}

/**
 * Commits, before the account's first card is sent, that this version's terminal is the account's from now
 * on. It waits for a change that is being confirmed.
 * @returns false if a newer version was in use before any card was sent under this one.
 */
export async function noteUse(
  db: Kysely<PaymentsDatabase>,
  { accountId, version }: { accountId: string; version: number },
): Promise<boolean> {
  const used = sql<number>`coalesce(used_version, version)`;
  const { numUpdatedRows } = await db
    .updateTable("acquirer_account")
    .set({ used_version: used })
    .where("account_id", "=", accountId)
    .where(used, "<=", version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The account's row, locked until the transaction ends, so that two changes of it follow one another. */
export async function lockAccount(trx: Trx, accountId: string): Promise<AccountRow | undefined> {
  return await trx
    .selectFrom("acquirer_account")
    .selectAll()
    .where("account_id", "=", accountId)
    .forUpdate()
    .executeTakeFirst();
}

/** @returns false if another account has that name. */
export async function insertAccount(
  trx: Trx,
  account: { accountId: string; protocol: string },
  attributes: AccountAttributes,
): Promise<boolean> {
  const inserted = await trx
    .insertInto("acquirer_account")
    .values({
      account_id: account.accountId,
      protocol: account.protocol,
      ...columnsOf(account.accountId, { ...attributes, default: false }),
      state: "PROPOSED",
    })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("account_id")
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function insertVersion(
  trx: Trx,
  version: Pick<
    VersionRow,
    "account_id" | "version" | "attributes" | "settings" | "sealed_secrets" | "proposed_by"
  >,
): Promise<void> {
  await trx
    .insertInto("acquirer_account_version")
    .values({
      ...version,
      attributes: JSON.stringify(version.attributes),
      settings: JSON.stringify(version.settings),
    })
    .execute();
}

/** The highest version that was ever proposed; 0 if none was. */
export async function lastVersion(trx: Trx, accountId: string): Promise<number> {
  const { last } = await trx
    .selectFrom("acquirer_account_version")
    .select(sql<number | null>`max(version)`.as("last"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** Puts a version into use. Each mode has one default account: a new default replaces the former. */
export async function useVersion(trx: Trx, version: VersionRow, confirmedBy: string): Promise<void> {
  const { account_id, attributes } = version;
  const isDefault = isLive(account_id) ? "is_default" : "is_test_default";
  if (attributes.default) {
    await trx
      .updateTable("acquirer_account")
      .set({ [isDefault]: false })
      .where(isDefault, "=", true)
      .where("account_id", "<>", account_id)
      .execute();
  }
  await trx
    .updateTable("acquirer_account_version")
    .set({ confirmed_by: confirmedBy, confirmed_at: sql<Date>`now()` })
    .where("account_id", "=", account_id)
    .where("version", "=", version.version)
    .execute();
  await trx
    .updateTable("acquirer_account")
    .set({ ...columnsOf(account_id, attributes), version: version.version })
    .where("account_id", "=", account_id)
    .execute();
}

function columnsOf(accountId: string, attributes: AccountAttributes) {
  return {
    name: attributes.name,
    state: attributes.state,
    currencies: attributes.currencies,
    time_zone: attributes.businessDay.timeZone,
    cut_off: attributes.businessDay.cutOff,
    late_arrival_ms: BigInt(attributes.lateArrivalSeconds) * 1_000n,
    connections_max: attributes.connectionsMax,
    is_default: attributes.default && isLive(accountId),
    is_test_default: attributes.default && !isLive(accountId),
  };
}

function attributesOf(
  account: AccountRow,
): Omit<AccountAttributes, "state" | "secretsChange" | "installmentPrices"> {
  return {
    name: account.name,
    currencies: account.currencies,
    businessDay: { timeZone: account.time_zone, cutOff: account.cut_off },
    lateArrivalSeconds: Number(account.late_arrival_ms) / 1_000,
    connectionsMax: account.connections_max,
    default: account.is_default || account.is_test_default,
  };
}

/** A limit that was taken away is null with its version, and is not shown. */
function limitOf(version: VersionRow | undefined): { callsPerMinute?: number | undefined } {
  return { callsPerMinute: version?.attributes.callsPerMinute ?? undefined };
}

/** An account as operators see it, without its credentials, sealed or not. */
export function accountView({ account, current, proposal, secretsSince }: StoredAccount): AcquirerAccount {
  return {
    accountId: account.account_id,
    protocol: account.protocol,
    livemode: isLive(account.account_id),
    state: account.state,
    ...attributesOf(account),
    ...limitOf(current ?? proposal),
    settings: (current ?? proposal)!.settings as AcquirerAccount["settings"],
    ...(account.version !== null && { version: account.version }),
    createdAt: account.created_at.toISOString(),
    ...(secretsSince && { secretsSince: secretsSince.toISOString() }),
    ...(proposal && {
      proposal: {
        ...proposedIn(proposal),
        ...shownAttributes(proposal),
        ...limitOf(proposal),
        settings: proposal.settings as AcquirerAccount["settings"],
        installmentPricesChange: !isDeepStrictEqual(pricesOf(proposal), pricesOf(current)),
      },
    }),
  };
}

/** The prices have a view of their own: an account of a list has no hundred of them. */
function shownAttributes({ attributes }: VersionRow): Omit<AccountAttributes, "installmentPrices"> {
  const { installmentPrices: _prices, ...shown } = attributes;
  return shown;
}

/** The cost of installments at an account as operators see it. */
export function installmentPricesView({ current, proposal }: StoredAccount): InstallmentPrices {
  return {
    prices: [...pricesOf(current)],
    ...(current && { version: current.version }),
    ...(proposal && { proposal: { ...proposedIn(proposal), prices: [...pricesOf(proposal)] } }),
  };
}

function pricesOf(version: VersionRow | undefined): readonly InstallmentPrice[] {
  return version?.attributes.installmentPrices ?? [];
}

function proposedIn({ version, proposed_by, proposed_at }: VersionRow) {
  return { version, proposedBy: nameOf(proposed_by), proposedAt: proposed_at.toISOString() };
}
