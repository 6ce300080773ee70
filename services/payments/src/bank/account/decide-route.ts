import type { AccountState, Route } from "./account-tables.ts";

/** The parts of a payment on which its route depends. */
export type RoutedPayment = {
  livemode: boolean;
  currency: string;
  domInt: "DOM" | "INT" | null;
  cardScheme: string | null;
  loyaltyCode: string | null;
  installmentCount: number;
};

/** The parts of an account on which routing depends. */
export type RoutableAccount = {
  accountId: string;
  livemode: boolean;
  state: AccountState;
  currencies: readonly string[];
};

/**
 * The accounts that a payment may be sent to, the first one first: those of the routes that name it, in their order, or the
 * default account where none does. An account of the other mode, one that takes no new payments, or not this currency, is
 * passed over.
 *
 * @param isOpen whether an account's breaker lets nothing through: it comes after all others, since a payment is better
 * refused by a bank that may be back than by us.
 * @returns empty where no account can take it.
 */
export function decideRoute<Account extends RoutableAccount>(
  payment: RoutedPayment,
  {
    routes,
    accounts,
    defaultAccount,
    isOpen,
  }: {
    routes: readonly Route[];
    accounts: ReadonlyMap<string, Account>;
    defaultAccount: Account | undefined;
    isOpen: (accountId: string) => boolean;
  },
): Account[] {
  const named = routes.filter((route) => names(route, payment));
  const candidates =
    named.length > 0 ? named.map(({ accountId }) => accounts.get(accountId)) : [defaultAccount];
  const able = candidates.filter(
    (account): account is Account =>
      account?.state === "ACTIVE" &&
      account.livemode === payment.livemode &&
      account.currencies.includes(payment.currency),
  );
  const open = new Set(able.filter(({ accountId }) => isOpen(accountId)));
  return [...new Set([...able.filter((account) => !open.has(account)), ...open])];
}

function names(route: Route, payment: RoutedPayment): boolean {
  return (
    agrees(route.currency, payment.currency) &&
    agrees(route.domInt, payment.domInt) &&
    agrees(route.cardScheme, payment.cardScheme) &&
    agrees(route.loyaltyCode, payment.loyaltyCode) &&
    payment.installmentCount >= (route.installmentsFrom ?? 1)
  );
}

function agrees(named: string | undefined, actual: string | null): boolean {
  return named === undefined || named === actual;
}
