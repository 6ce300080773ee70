/**
 * The resources of one account. Everything that can hang with a bank (connections, merchants' permits, the
 * workers that finish earlier work) is counted by account, so that a bank that hangs takes nothing from
 * another.
 */
import { createSharedPermits, permitsOfOne, type SharedPermits } from "@holdfast/service-runtime";
import { isLive } from "@holdfast/contracts";
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
export type PermitsOf = (accountId: string) => SharedPermits;

export function createMerchantPermits({ table }: Accounts, { share }: { share: number }): PermitsOf {
  const made = new Map<string, { max: number; permits: SharedPermits }>();
  return (accountId) => {
    // Every call to an unknown account is `not_sent`, and uses its permit for no time.
    const max = connectionsOfLanes(table()?.accounts.get(accountId)?.connectionsMax ?? 1).payments;
    const known = made.get(accountId);
    if (known?.max === max) return known.permits;
    const permits = createSharedPermits({ max, ofOneMax: permitsOfOne(max, share) });
    made.set(accountId, { max, permits });
    return permits;
  };
}

/**
 * The account that a merchant's payment is stored with; undefined if the merchant has no such payment. It
 * needs no query if the merchant's mode has only one account.
 */
export type AccountOf = (payment: { paymentId: string; merchantId: string }) => Promise<string | undefined>;

export function createAccountOf({ table }: Accounts, db: Kysely<PaymentsDatabase>): AccountOf {
  return async ({ paymentId, merchantId }) => {
    const accounts = table()?.accounts.values() ?? [];
    const [only, another] = Iterator.from(accounts).filter(({ livemode }) => livemode === isLive(merchantId));
    if (only && !another) return only.accountId;
    const payment = await db
      .selectFrom("payment")
      .select("account_id")
      .where("payment_id", "=", paymentId)
      .where("merchant_id", "=", merchantId)
      .executeTakeFirst();
    return payment?.account_id;
  };
}

/** Workers for each account: how many at a time may call its bank, at most as many as it has connections for them. */
export type Upkeep = {
  keys: () => Iterable<string>;
  inFlightMax: (configuredMax: number) => (accountId: string) => number;
};

export function createUpkeep({ table }: Accounts): Upkeep {
  return {
    keys: () => table()?.accounts.keys() ?? [],
    inFlightMax: (configuredMax) => (accountId) => {
      const { connectionsMax = 1 } = table()?.accounts.get(accountId) ?? {};
      return Math.min(configuredMax, connectionsOfLanes(connectionsMax).upkeep);
    },
  };
}
