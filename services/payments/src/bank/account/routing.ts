import { dayIn, installmentTotal } from "@holdfast/contracts";
import type { AccountAcquirers } from "../calls/acquirers.ts";
import type { CurrentAccounts } from "./current-accounts.ts";
import { decideRoute, type RoutedPayment, type RouteStep } from "./decide-route.ts";

/** A payment with the price of its order in minor units. */
export type PricedPayment = RoutedPayment & { amountMinor: bigint };

/** An account that a payment may be sent to, and what its card is charged there in all where the buyer pays for installments. */
export type PricedStep = RouteStep & { totalMinor: bigint };

/** The accounts that a payment may be sent to, the first one first; undefined until routes have been read. */
export type FindRoute = (merchantId: string, payment: PricedPayment) => readonly PricedStep[] | undefined;

/** Routes and prices by what is in memory: a payment waits for no query. */
export function createRouting(
  current: Pick<CurrentAccounts, "table">,
  acquirers: Pick<AccountAcquirers, "breaker">,
  now: () => number,
): FindRoute {
  return (merchantId, payment) => {
    const table = current.table();
    if (!table) return undefined;
    const { accounts, routes, defaultAccount, testAccount } = table;
    const found = decideRoute(payment, {
      routes: routes.get(merchantId) ?? [],
      accounts,
      defaultAccount: payment.livemode ? defaultAccount : testAccount,
      isOpen: (accountId) => acquirers.breaker(accountId).isOpen(),
    });
    const at = new Date(now());
    return found.flatMap((step) => {
      const account = accounts.get(step.accountId);
      if (!account) return [];
      const day = dayIn(account.businessDay.timeZone, at);
      return [{ ...step, totalMinor: installmentTotal(account.installmentPrices, { ...payment, day }) }];
    });
  };
}
