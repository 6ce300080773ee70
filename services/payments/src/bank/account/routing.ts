import type { AccountAcquirers } from "../calls/acquirers.ts";
import type { CurrentAccounts } from "./current-accounts.ts";
import { decideRoute, type RoutedPayment, type RouteStep } from "./decide-route.ts";

/** The accounts that a payment may be sent to, the first one first; undefined until routes have been read. */
export type FindRoute = (merchantId: string, payment: RoutedPayment) => readonly RouteStep[] | undefined;

/** Routes by what is in memory: a payment waits for no query. */
export function createRouting(
  current: Pick<CurrentAccounts, "table">,
  acquirers: Pick<AccountAcquirers, "breaker">,
): FindRoute {
  return (merchantId, payment) => {
    const table = current.table();
    if (!table) return undefined;
    const { accounts, routes, defaultAccount, testAccount } = table;
    return decideRoute(payment, {
      routes: routes.get(merchantId) ?? [],
      accounts,
      defaultAccount: payment.livemode ? defaultAccount : testAccount,
      isOpen: (accountId) => acquirers.breaker(accountId).isOpen(),
    });
  };
}
