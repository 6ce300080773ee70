import type { z } from "zod";

import type {
  Approved,
  Authentication,
  BankMovement,
  DeclineClass,
  Declined,
  Expired,
  InquiryRequest,
} from "@holdfast/acquirer";
import type { ApprovedAnswer, DeclinedAnswer, inquiryAnswer } from "./simulator-answers.ts";

type Authenticated = { authentication?: Authentication };

export function approved(answer: ApprovedAnswer & Authenticated): Approved & Authenticated {
  const { outcome: kind, reference: _ours, ...rest } = answer;
  return { kind, ...rest };
}

export function declined(answer: DeclinedAnswer & Authenticated): Declined & Authenticated {
  const { outcome: kind, reference: _ours, amountMinor: _asked, currency: _of, ...rest } = answer;
  const declineClass = CLASSES.get(answer.resultCode);
  return { kind, ...(declineClass && { declineClass }), ...rest };
}

/** The issuer's codes; a refusal by the bank itself has no class. */
const CLASSES: ReadonlyMap<string, DeclineClass> = new Map([
  ["05", "soft"],
  ["14", "hard"],
  ["51", "limit"],
  ["54", "hard"],
]);

/** The movement that an inquiry shows for its reference, if any. */
export function movementOf(
  answer: z.output<typeof inquiryAnswer>,
  { kind, reference: ownReference, currency }: InquiryRequest,
): BankMovement | undefined {
  const nothingMoved = { amountMinor: 0n, currency, resultCode: "", resultMessage: "" };
  switch (answer.outcome) {
    case "approved":
    case "declined": {
      const { outcome: state, reference: _ours, ...rest } = answer;
      return { ...rest, kind, ownReference, state };
    }
    case "expired":
      return { ...nothingMoved, kind, ownReference, state: "expired" };
    case "reversed":
      return { ...nothingMoved, kind, ownReference, state: "bound" };
    case "pending": {
      const { amountMinor } = answer;
      return {
        ...nothingMoved,
        currency: answer.currency,
        amountMinor,
        kind,
        ownReference,
        state: "pending",
      };
    }
    case "not_found":
      return undefined;
    default:
      return answer satisfies never;
  }
}

export const EXPIRED: Expired = { kind: "expired" };
