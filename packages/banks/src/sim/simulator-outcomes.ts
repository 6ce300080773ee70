import type { z } from "zod";

import type {
  Approved,
  Authentication,
  BankMovement,
  Declined,
  Expired,
  InquiryRequest,
  Unknown,
} from "@holdfast/acquirer";
import type { ApprovedAnswer, completionAnswer, DeclinedAnswer, inquiryAnswer } from "./simulator-answers.ts";

type AnsweredAuthentication = NonNullable<
  Extract<z.output<typeof completionAnswer>, { outcome: "approved" }>["authentication"]
>;

export function authenticationOf({
  authentication,
}: {
  authentication?: AnsweredAuthentication | undefined;
}) {
  return authentication && { authentication: given(authentication) };
}

/** Omits the fields that were not given. */
export function given({ transStatus, eci, dsTransId }: AnsweredAuthentication): Authentication {
  return { transStatus, ...(eci !== undefined && { eci }), ...(dsTransId !== undefined && { dsTransId }) };
}

export function approved(answer: ApprovedAnswer): Approved {
  const { amountMinor, currency, externalTransactionId, authCode, resultCode, resultMessage } = answer;
  return {
    kind: "approved",
    amountMinor,
    currency,
    externalTransactionId,
    authCode,
    resultCode,
    resultMessage,
  };
}

export function declined(answer: DeclinedAnswer): Declined {
  const { externalTransactionId, resultCode, resultMessage } = answer;
  return { kind: "declined", externalTransactionId, resultCode, resultMessage };
}

/** The movement that an inquiry shows for its reference, if any. */
export function movementOf(
  answer: z.output<typeof inquiryAnswer>,
  { kind, reference, currency }: InquiryRequest,
): BankMovement | undefined {
  const known = { kind, ownReference: reference };
  switch (answer.outcome) {
    case "approved":
      return { ...approved(answer), ...authenticationOf(answer), at: answer.at, ...known, state: "approved" };
    case "declined": {
      const { amountMinor } = answer;
      return {
        ...declined(answer),
        ...authenticationOf(answer),
        ...known,
        amountMinor,
        currency: answer.currency,
        state: "declined",
      };
    }
    case "expired":
      return { ...known, state: "expired", ...nothingMoved(currency) };
    case "reversed":
      return { ...known, state: "bound", ...nothingMoved(currency) };
    case "pending":
      return {
        ...nothingMoved(answer.currency),
        ...known,
        amountMinor: answer.amountMinor,
        state: "pending",
      };
    case "not_found":
      return undefined;
    default:
      return answer satisfies never;
  }
}

const nothingMoved = (currency: string) => ({
  amountMinor: 0n,
  currency,
  resultCode: "",
  resultMessage: "",
});

export const EXPIRED: Expired = { kind: "expired" };
export const INVALID_ANSWER: Unknown = { kind: "unknown", reason: "invalid_answer" };
export const PENDING: Unknown = { kind: "unknown", reason: "pending" };
export const MISMATCH: Unknown = { kind: "unknown", reason: "mismatch" };
