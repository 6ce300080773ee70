import { shortly } from "./open-questions.ts";
import type { StepOutcome } from "./walk.ts";

/** Words of answers that several protocols give. */
export const LATER =
  "it shows on another day only; run the walk, and look at the order in the bank's panel tomorrow";

type Movement = { kind: string; state: string; amountMinor: bigint; externalTransactionId?: string };

export function movements(inquiry: StepOutcome): string {
  if (inquiry.kind !== "found") return shortly(inquiry);
  const rows = (inquiry["movements"] as Movement[]).map(
    ({ kind, state, amountMinor, externalTransactionId = "no id" }) =>
      `${kind} ${state} ${amountMinor} ${externalTransactionId}`,
  );
  return rows.length === 0 ? "no movement" : rows.join("; ");
}

export function gatePostedByServer(enrolment: StepOutcome): string {
  return enrolment.kind === "challenge"
    ? "yes: the gate answered with a page"
    : `the gate's answer was ${shortly(enrolment)}`;
}
