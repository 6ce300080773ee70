import type { AcquirerOutcome } from "@holdfast/acquirer";
import type { Settlement } from "./settlement.ts";

/** What the acquirer's answer makes of a payment that is being authorized. */
export type AuthorizationDecision =
  | Settlement
  /** Not known: the payment stays as it is and recovery settles it. Never a decline. */
  | { to: "UNKNOWN"; cause: string }
  /** The acquirer speaks of another amount than we asked for: whatever it holds must not stand. */
  | { to: "REVERSING"; cause: string };

/** The acquirer's fields of the record; null where it gave none. */
export type AcquirerResult = {
  externalTransactionId: string | null;
  authCode: string | null;
  resultCode: string;
  resultMessage: string;
};

export function decideAuthorization(outcome: AcquirerOutcome): AuthorizationDecision {
  switch (outcome.kind) {
    case "approved": {
      const { externalTransactionId, authCode, resultCode, resultMessage } = outcome;
      return {
        to: "SUCCESS",
        cause: "approved",
        result: { externalTransactionId, authCode, resultCode, resultMessage },
      };
    }
    case "declined": {
      const { externalTransactionId = null, resultCode, resultMessage } = outcome;
      return {
        to: "FAILED",
        cause: "declined",
        result: { externalTransactionId, authCode: null, resultCode, resultMessage },
      };
    }
    case "not_sent":
      // The payment's only call so far, and provably not made: nothing is held, so nothing has to be reversed.
      return { to: "FAILED", cause: "acquirer_unavailable", result: ACQUIRER_UNAVAILABLE };
    case "unknown":
      return { to: outcome.reason === "mismatch" ? "REVERSING" : "UNKNOWN", cause: outcome.reason };
    default:
      return outcome satisfies never;
  }
}

const ACQUIRER_UNAVAILABLE: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "acquirer_unavailable",
  resultMessage: "The bank could not be reached; nothing was reserved",
};

/** The claim was committed too late: the merchant may have been told that nobody answered, and may have paid again. */
export const DEADLINE_PASSED: Settlement = {
  to: "FAILED",
  cause: "deadline_passed",
  result: {
    externalTransactionId: null,
    authCode: null,
    resultCode: "deadline_passed",
    resultMessage: "The payment was not sent to the bank in time; nothing was reserved",
  },
};
