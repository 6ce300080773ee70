/**
 * The resources of one account. Everything that can hang with a bank (connections, their merchants' permits, the workers
 * that finish what was begun) is counted by account, so that a bank which hangs takes nothing of another's.
 */
import { createSharedPermits, permitsOfOne, type SharedPermits } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { Lane } from "./acquirers.ts";
import type { CurrentAccounts } from "../account/current-accounts.ts";

type Accounts = Pick<CurrentAccounts, "table">;

/** Divides the connections to an account: a quarter each for refunds and for upkeep, the rest for payments. */
export function connectionsOfLanes(connectionsMax: number): Record<Lane, number> {
  const quarter = Math.max(1, Math.floor(connectionsMax / 4));
  return { payments: Math.max(1, connectionsMax - 2 * quarter), refunds: quarter, upkeep: quarter };
}

/** The connections for payments to an account, of which each merchant has a share: a call takes its permit here first. */
export type PermitsOf = (accountId: string | null) => SharedPermits;

/** @param fallbackMax connections for payments to the account of `ACQUIRER_URL`. */
export function createMerchantPermits(
  { table }: Accounts,
  { share, fallbackMax }: { share: number; fallbackMax: number },
): PermitsOf {
  const made = new Map<string | null, { max: number; permits: SharedPermits }>();
  return (accountId) => {
    const account = accountId === null ? undefined : table()?.accounts.get(accountId);
    // For an unknown account every call is `not_sent`, and holds a permit for no time.
    const max = account ? connectionsOfLanes(account.connectionsMax).payments : fallbackMax;
    const known = made.get(accountId);
    if (known?.max === max) return known.permits;
    const permits = createSharedPermits({ max, ofOneMax: permitsOfOne(max, share) });
    made.set(accountId, { max, permits });
    return permits;
  };
}

/** The account that a merchant's payment is stored with. Where there are no accounts but one, that is no query. */
export type AccountOf = (payment: { paymentId: string; merchantId: string }) => Promise<string | null>;

export function createAccountOf({ table }: Accounts, db: Kysely<PaymentsDatabase>): AccountOf {
  return async ({ paymentId, merchantId }) => {
    if (table()?.accounts.size === 0) return null;
    const payment = await db
      .selectFrom("payment")
      .select("account_id")
      .where("payment_id", "=", paymentId)
      .where("merchant_id", "=", merchantId)
      .executeTakeFirst();
    return payment?.account_id ?? null;
  };
}

/** Workers for each account: how many at a time may call its bank, at most as many as it has connections for them. */
export type Upkeep = {
  keys: () => (string | null)[];
  inFlightMax: (configuredMax: number) => (accountId: string | null) => number;
};

export function createUpkeep({ table }: Accounts): Upkeep {
  return {
    keys: () => [null, ...(table()?.accounts.keys() ?? [])],
    inFlightMax: (configuredMax) => (accountId) => {
      const account = accountId === null ? undefined : table()?.accounts.get(accountId);
      return account
        ? Math.min(configuredMax, connectionsOfLanes(account.connectionsMax).upkeep)
        : configuredMax;
    },
  };
}
