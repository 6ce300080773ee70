/** The buyer's next attempt: with the same card, with another one only, or not because of this payment. */
export type TryAgain = "yes" | "with another card" | "no";

/**
 * The gateway's own values of `resultCode`; every other value is the bank's. A code never changes once
 * merchants have seen it. `rule_…` names the merchant rule that rejected the payment.
 */
export const RESULT_CODES = {
  rule_largest_amount: {
    meaning: "REJECTED: the amount is above your largest one; the bank was not asked",
    tryAgain: "no",
  },
  rule_attempts_per_card: {
    meaning: "REJECTED: too many attempts with this card; the bank was not asked",
    tryAgain: "with another card",
  },
  rule_attempts_per_ip: {
    meaning: "REJECTED: too many attempts from this buyer's address; the bank was not asked",
    tryAgain: "no",
  },
  rule_decline_rate: {
    meaning: "REJECTED: too many of your payments were declined lately; the bank was not asked",
    tryAgain: "no",
  },
  abandoned: {
    meaning: "CANCELLED: the buyer did not come back from the challenge in time; nothing is reserved",
    tryAgain: "yes",
  },
  order_paid: {
    meaning:
      "CANCELLED: another payment of the order succeeded while the buyer was at the challenge; this one was not completed",
    tryAgain: "no",
  },
  acquirer_unavailable: {
    meaning: "FAILED: the bank could not be reached; nothing was reserved",
    tryAgain: "yes",
  },
  deadline_passed: {
    meaning: "FAILED: the payment could not be sent to the bank in time; nothing was reserved",
    tryAgain: "yes",
  },
  expired_request: {
    meaning: "FAILED: the request reached the bank too late; nothing was reserved",
    tryAgain: "yes",
  },
  reversed: {
    meaning: "FAILED: the bank did not answer, and what it may have taken has been given back",
    tryAgain: "yes",
  },
  in_review: {
    meaning:
      "ENROLLED: the bank's fraud desk is looking at the payment; do not ship, and wait for the webhook",
    tryAgain: "no",
  },
  review_rejected: {
    meaning: "FAILED: the bank's fraud desk declined; what was reserved has been released",
    tryAgain: "with another card",
  },
  rejected: {
    meaning: "REJECTED, of a refund: an operator declined it; `resultMessage` gives the reason",
    tryAgain: "no",
  },
  charged_back: {
    meaning: "FAILED, of a refund: a chargeback has given the buyer the money; the bank was not asked",
    tryAgain: "no",
  },
  resolved: {
    meaning: "two operators have recorded what the bank did; `status` says which way",
    tryAgain: "no",
  },
} as const satisfies Record<string, { meaning: string; tryAgain: TryAgain }>;

export type GatewayResultCode = keyof typeof RESULT_CODES;
