import type { AccountAcquirers } from "../calls/acquirers.ts";
import type { CurrentAccounts } from "./current-accounts.ts";
import { decideRoute, type RoutableAccount, type RoutedPayment } from "./decide-route.ts";

/** The accounts that a payment may be sent to, the first one first; undefined until routes have been read. */
export type FindRoute = (
  merchantId: string,
  payment: RoutedPayment,
) => readonly (string | null)[] | undefined;

/**
 * Routes by what is in memory: a payment waits for no query.
 * @param hasFallback whether there is the account of `ACQUIRER_URL`, which is the default one unless another is.
 */
export function createRouting(
  current: Pick<CurrentAccounts, "table">,
  acquirers: Pick<AccountAcquirers, "breaker">,
  { hasFallback }: { hasFallback: boolean },
): FindRoute {
  return (merchantId, payment) => {
    const table = current.table();
    if (!table) return undefined;
    const { accounts, routes } = table;
    const defaultAccount = payment.livemode
      ? (table.defaultAccount ?? (hasFallback ? FALLBACK : undefined))
      : table.testAccount;
    const found = decideRoute<RoutableAccount>(payment, {
      routes: routes.get(merchantId) ?? [],
      accounts,
      defaultAccount,
      isOpen: (accountId) => acquirers.breaker(accountId).isOpen(),
    });
    return found.map(({ accountId }) => accountId);
  };
}

const FALLBACK: RoutableAccount = { accountId: null, livemode: true, state: "ACTIVE", currencies: "all" };
