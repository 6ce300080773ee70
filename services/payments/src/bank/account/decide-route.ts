import { addressesIn } from "@holdfast/acquirer";
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
} & AtBank;

type AtBank = { protocol: string; settings: object };

/** An account of a payment's route. */
export type RouteStep = {
  accountId: string;
  /** The accounts at which the payment may be tried once more after a soft decline here. */
  retriesAt: readonly string[];
};

/**
 * The accounts that a payment may be sent to, the preferred one first. They come from the routes that match
 * the payment, in their order, or else are the default account. Accounts of the other mode, accounts that
 * accept no new payments, and accounts without this currency are skipped.
 *
 * @param isOpen true if the account's circuit breaker is open. Such an account comes last: a refusal by a
 * bank that may have recovered is better than a refusal by us.
 * @returns an empty list if no account can accept it.
 */
export function decideRoute(
  payment: RoutedPayment,
  {
    routes,
    accounts,
    defaultAccount,
    isOpen,
  }: {
    routes: readonly Route[];
    accounts: ReadonlyMap<string, RoutableAccount>;
    defaultAccount: RoutableAccount | undefined;
    isOpen: (accountId: string) => boolean;
  },
): RouteStep[] {
  const named = routes.filter((route) => names(route, payment));
  const candidates: { account: RoutableAccount | undefined; route?: Route }[] =
    named.length > 0
      ? named.map((route) => ({ account: accounts.get(route.accountId), route }))
      : [{ account: defaultAccount }];
  const able = candidates.flatMap(({ account, route }) =>
    account?.state === "ACTIVE" &&
    account.livemode === payment.livemode &&
    account.currencies.includes(payment.currency)
      ? [{ account, route }]
      : [],
  );
  const once = able.filter(
    ({ account }, index) => able.findIndex((each) => each.account === account) === index,
  );
  const open = new Set(once.filter(({ account }) => isOpen(account.accountId)));
  const steps = [...once.filter((each) => !open.has(each)), ...open];
  return steps.map(({ account, route }) => {
    const mayFollow = (next: (typeof steps)[number]) =>
      isElsewhere(account, next.account) && fitsInstallments(next.route, payment.installmentCount);
    const others = route?.retrySoftDeclines ? steps.filter(mayFollow) : [];
    return { accountId: account.accountId, retriesAt: others.map((other) => other.account.accountId) };
  });
}

/**
 * The same order is never sent to one bank twice, because the bank could show the first one's decline for the
 * second.
 */
function isElsewhere(one: AtBank, other: AtBank): boolean {
  return one.protocol !== other.protocol || hostOf(one) !== hostOf(other);
}

function hostOf({ settings }: AtBank): string | undefined {
  return addressesIn(settings)[0]?.[1].host;
}

/** A route that names neither a programme nor a number of instalments says nothing about payments in instalments. */
function fitsInstallments(route: Route | undefined, count: number): boolean {
  return count === 1 || route?.loyaltyCode !== undefined || (route?.installmentsFrom ?? 1) > 1;
}

/** The routes that retry soft declines although no later route could take any of their payments: their indexes. */
export function routesThatNeverRetry(
  routes: readonly Route[],
  accounts: ReadonlyMap<string, Pick<RoutableAccount, "currencies"> & AtBank>,
): number[] {
  return routes.flatMap((route, index) => {
    const isFollowed = routes.slice(index + 1).some((later) => mayTakeFrom(route, later, accounts));
    return route.retrySoftDeclines && !isFollowed ? [index] : [];
  });
}

function mayTakeFrom(
  route: Route,
  later: Route,
  accounts: ReadonlyMap<string, Pick<RoutableAccount, "currencies"> & AtBank>,
): boolean {
  const [one, other] = [accounts.get(route.accountId), accounts.get(later.accountId)];
  if (!one || !other || !isElsewhere(one, other)) return false;
  const currencies = one.currencies.filter(
    (code) => other.currencies.includes(code) && agrees(route.currency, code) && agrees(later.currency, code),
  );
  const count = Math.max(route.installmentsFrom ?? 1, later.installmentsFrom ?? 1);
  return (
    currencies.length > 0 &&
    fitsInstallments(later, count) &&
    CONDITIONS.every((name) => route[name] === undefined || agrees(later[name], route[name]))
  );
}

const CONDITIONS = ["domInt", "cardScheme", "loyaltyCode"] as const;

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
