import type { TermsOf } from "../account/account-terms.ts";
import type { PermitsOf } from "./account-connections.ts";
import type { Acquirers } from "./acquirers.ts";
import type { CallBudget } from "./call-budget.ts";

/** The banks as one kind of work uses them: by connections of its own, and for so long a call. */
export type Bank = Acquirers & {
  /** Bound of one call. */
  callMs: number;
  termsOf: TermsOf;
  permitsOf: PermitsOf;
  budget: Pick<CallBudget, "reserve" | "use">;
};

/** Returns the bank with another time limit for calls. */
export function withCallMs({ of, termsOf, permitsOf, budget }: Bank, callMs: number): Bank {
  return { of, callMs, termsOf, permitsOf, budget };
}
