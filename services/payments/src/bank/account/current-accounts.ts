import { isLive, type InstallmentPrice } from "@holdfast/contracts";
import type { Logger } from "@holdfast/service-runtime";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { AccountAttributes, AcquirerAccountTable, Route } from "./account-tables.ts";

/** An account with the version in use. */
export type Account = {
  accountId: string;
  livemode: boolean;
  protocol: string;
  name: string;
  state: AcquirerAccountTable["state"];
  currencies: readonly string[];
  /** True for the default account of its mode. */
  isDefault: boolean;
  version: number;
  /** The version under which a card was sent there first. */
  usedVersion: number | null;
  businessDay: { timeZone: string; cutOff: string };
  lateArrivalMs: number;
  connectionsMax: number;
  callsPerMinute?: number | undefined;
  installmentPrices: readonly InstallmentPrice[];
  settings: object;
  sealedSecrets: Buffer;
};

/** The accounts and routes that this process uses. */
export type CurrentAccounts = {
  /** Undefined until they have been read once: a payment must not go to another account for want of its route. */
  table(): AccountTable | undefined;
  /** Reads the accounts again; its interval bounds the age of the accounts in use. */
  refresh(): Promise<void>;
};

export type AccountTable = {
  accounts: ReadonlyMap<string, Account>;
  /** Takes live payments that no route names. */
  defaultAccount: Account | undefined;
  /** The account of test mode. */
  testAccount: Account | undefined;
  /** Routes by merchant; a merchant without routes is absent. */
  routes: ReadonlyMap<string, readonly Route[]>;
};

export function createCurrentAccounts(
  db: Kysely<PaymentsDatabase>,
  {
    log,
    onRead,
    read = createReadAccounts(),
  }: {
    log: Logger;
    onRead?: (accounts: AccountTable["accounts"]) => void;
    read?: ReturnType<typeof createReadAccounts>;
  },
): CurrentAccounts {
  let current: AccountTable | undefined;
  let begun = 0;
  let inUse = 0;
  let seen = "";
  return {
    table: () => current,
    async refresh() {
      const mine = ++begun;
      const table = await read(db);
      // The older of two concurrent reads may end last, and lacks the changes since.
      if (mine < inUse) return;
      inUse = mine;
      current = table;
      onRead?.(current.accounts);
      const now = [...current.accounts.values()].map(({ name, version }) => `${name}:${version}`).join(" ");
      if (now !== seen)
        log.info({ accounts: current.accounts.size, merchants: current.routes.size }, "accounts in use");
      seen = now;
    },
  };
}

/**
 * Makes the function that reads the accounts, and the routes where some have been confirmed since: of an idle process it
 * is one statement. Accounts are read after the routes that name them, and none is ever deleted.
 */
export function createReadAccounts(): (db: Kysely<PaymentsDatabase>) => Promise<AccountTable> {
  let known: { confirmed: string; routes: AccountTable["routes"] } | undefined;
  return async (db) => {
    const accounts = await selectAccounts(db);
    const [first] = accounts;
    // A route names an account.
    if (!first) return tableOf([], new Map());
    if (known?.confirmed === first.routes_confirmed) return tableOf(accounts, known.routes);
    // Another read may keep older ones meanwhile, which the next one finds out.
    const routes = await readRoutes(db);
    known = { confirmed: first.routes_confirmed, routes };
    return tableOf(await selectAccounts(db), routes);
  };
}

async function readRoutes(db: Kysely<PaymentsDatabase>): Promise<AccountTable["routes"]> {
  const routes = await db
    .selectFrom("merchant_route")
    .distinctOn("merchant_id")
    .select(["merchant_id", "routes"])
    .where("confirmed_at", "is not", null)
    .orderBy("merchant_id")
    .orderBy("version", "desc")
    .execute();
  return new Map(routes.map((row) => [row.merchant_id, row.routes]));
}

async function selectAccounts(db: Kysely<PaymentsDatabase>) {
  return await db
    .selectFrom("acquirer_account")
    .innerJoin("acquirer_account_version", (join) =>
      join
        .onRef("acquirer_account_version.account_id", "=", "acquirer_account.account_id")
        .onRef("acquirer_account_version.version", "=", "acquirer_account.version"),
    )
    .selectAll("acquirer_account")
    .select([
      "acquirer_account_version.settings",
      "acquirer_account_version.sealed_secrets",
      "acquirer_account_version.attributes",
      ROUTES_CONFIRMED.as("routes_confirmed"),
    ])
    .execute();
}

/** SQL of a text that changes with each version of routes that is confirmed. */
const ROUTES_CONFIRMED = sql<string>`(
  select count(*) || ' ' || coalesce(max(confirmed_at)::text, '') from merchant_route where confirmed_at is not null)`;

function tableOf(
  accounts: Awaited<ReturnType<typeof selectAccounts>>,
  routes: AccountTable["routes"],
): AccountTable {
  const used = accounts.map(accountOf);
  return {
    accounts: new Map(used.map((account) => [account.accountId, account])),
    defaultAccount: used.find(({ isDefault, livemode }) => isDefault && livemode),
    testAccount: used.find(({ isDefault, livemode }) => isDefault && !livemode),
    routes,
  };
}

function accountOf(
  row: Selectable<AcquirerAccountTable> & {
    settings: object;
    sealed_secrets: Buffer;
    attributes: AccountAttributes;
  },
): Account {
  return {
    accountId: row.account_id,
    livemode: isLive(row.account_id),
    protocol: row.protocol,
    name: row.name,
    state: row.state,
    currencies: row.currencies,
    isDefault: row.is_default || row.is_test_default,
    version: row.version!,
    usedVersion: row.used_version,
    businessDay: { timeZone: row.time_zone, cutOff: row.cut_off },
    lateArrivalMs: Number(row.late_arrival_ms),
    connectionsMax: row.connections_max,
    callsPerMinute: row.attributes.callsPerMinute ?? undefined,
    installmentPrices: row.attributes.installmentPrices ?? [],
    settings: row.settings,
    sealedSecrets: row.sealed_secrets,
  };
}
