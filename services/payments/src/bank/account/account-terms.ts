import type { Account, CurrentAccounts } from "./current-accounts.ts";

/** The parts of an account on which decisions about time depend. */
export type AccountTerms = {
  /** How long after the end of our wait a call may still take effect at the bank. */
  lateArrivalMs: number;
  /** From the beginning of a call until it can take effect no more: the bound of a call, and `lateArrivalMs` behind it. */
  horizonMs: number;
  /** The bank's: a sale can be voided until it ends, and after it everything that the bank has carried out can be seen. */
  businessDay: Account["businessDay"];
};

/** The terms of an account that names none. */
export type DefaultTerms = Omit<AccountTerms, "horizonMs">;

/** By the account that a payment is stored with, under its newest version. Null is the account of `ACQUIRER_URL`. */
export type TermsOf = (accountId: string | null) => AccountTerms;

/** @param callMs bound of one call. */
export function createTerms(
  { table }: Pick<CurrentAccounts, "table">,
  { defaults, callMs }: { defaults: DefaultTerms; callMs: number },
): TermsOf {
  return (accountId) => {
    const account = accountId === null ? undefined : table()?.accounts.get(accountId);
    const { lateArrivalMs, businessDay } = account ?? defaults;
    return { lateArrivalMs, businessDay, horizonMs: callMs + lateArrivalMs };
  };
}
