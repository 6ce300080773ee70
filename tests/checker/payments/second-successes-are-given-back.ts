import { againOf, approvals, isLive, linesByPayment } from "../bank-lines.ts";
import type { Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 45. A payment that a bank has carried out a second time by itself is given back at the end. The
 * second one may stay only if the bank's answer proved the first one, so that nobody has read the record:
 * then the day's file shows it.
 */
export function secondSuccessesAreGivenBack({ payments, bankCalls, bank }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const answered = new Set(
    bankCalls
      .filter(({ kind, outcome }) => CHARGES.has(kind) && outcome === "approved")
      .map(({ paymentId }) => paymentId),
  );
  return payments.flatMap((payment) => {
    const { paymentId, state } = payment;
    const ofPayment = lines.get(paymentId) ?? [];
    const standing = approvals(ofPayment).filter(
      (line) => line.reference === againOf(paymentId) && isLive(line, ofPayment),
    );
    if (standing.length === 0 || isUnsettled(payment)) return [];
    const isBelieved = standing.every((line) => line.isBelieved) && answered.has(paymentId);
    if (isBelieved && BELIEVED.has(state)) return [];
    return [{ ids: [paymentId], what: `is ${state}, and a second success stands at the bank` }];
  });
}

const CHARGES: ReadonlySet<string> = new Set(["authorize", "sale", "complete", "enrol"]);
const BELIEVED: ReadonlySet<string> = new Set(["SUCCESS", "CAPTURED", "CANCELLED"]);
