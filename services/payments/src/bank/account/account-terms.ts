import type { Account, CurrentAccounts } from "./current-accounts.ts";

/** The parts of an account on which decisions about time depend. */
export type AccountTerms = {
  /** The time after the end of our wait in which a call may still take effect at the bank. */
  lateArrivalMs: number;
  /** The time from a call's beginning until it can take effect no more: its bound, and `lateArrivalMs` behind it. */
  horizonMs: number;
  /** The bank's: a sale can be voided until it ends, and after it everything that the bank has carried out can be seen. */
  businessDay: Account["businessDay"];
};

/** The terms of an account that names none. */
export type DefaultTerms = Omit<AccountTerms, "horizonMs">;

/** The terms of a payment's stored account, under its newest version. */
export type TermsOf = (accountId: string) => AccountTerms;

/** @param callMs bound of one call. */
export function createTerms(
  { table }: Pick<CurrentAccounts, "table">,
  { defaults, callMs }: { defaults: DefaultTerms; callMs: number },
): TermsOf {
  return (accountId) => {
    const { lateArrivalMs, businessDay } = table()?.accounts.get(accountId) ?? defaults;
    return { lateArrivalMs, businessDay, horizonMs: callMs + lateArrivalMs };
  };
}
