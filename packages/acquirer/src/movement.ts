import type { AcquirerAmount, AcquirerOutcome, Expired } from "./acquirer.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Verdict } from "./judge.ts";

/**
 * The n-th reference of one movement of money that is repeated until its outcome is known; the first has no number. The
 * next one is taken where the acquirer has called the one before too late, so that nothing will ever move under it.
 */
export function withSubReference(reference: string, sub: number): string {
  return sub === 1 ? reference : `${reference}:${sub}`;
}

/**
 * Our reference of a refund, one form for every service that sends it to the bank or shows the bank's answer to
 * operators.
 * @param refundId a UUID, with which the reference begins.
 */
export function refundReference(refundId: string, sub: number): string {
  return withSubReference(`${refundId}:refund`, sub);
}

/**
 * The outcome of such a movement, or that it is to be sent again, under the same reference or the next, or that it must not
 * be sent again yet, since the first call may still arrive.
 */
export type MovementOutcome =
  | Exclude<AcquirerOutcome, Expired>
  | "repeat"
  | "repeat_under_new_reference"
  | "wait";

/** The last time that the movement was sent under its reference. */
export type Sending = {
  /** The time since it may have left this machine; null where it certainly has not. */
  sentMsAgo: number | null;
  /**
   * The time after that in which the acquirer may still get it: the bound of a call, and the longest expected delay.
   */
  horizonMs: number;
};

/**
 * The outcome of a movement by an inquiry about it.
 * @param asked the requested amount: another one under our reference needs an operator.
 */
export function movementOutcome(
  inquiry: Verdict,
  asked: AcquirerAmount,
  sending: Sending,
  capabilities: Pick<Capabilities, "repetition">,
): MovementOutcome {
  switch (inquiry.kind) {
    case "approved": {
      const same = inquiry.amountMinor === asked.amountMinor && inquiry.currency === asked.currency;
      return same ? inquiry : MISMATCH;
    }
    case "not_found":
      return mayRepeat(sending, capabilities) ? "repeat" : "wait";
    case "expired":
      return "repeat_under_new_reference";
    case "reversed":
      return MISMATCH;
    case "declined":
    case "unknown":
    case "not_sent":
      return inquiry;
    default:
      return inquiry satisfies never;
  }
}

/**
 * Tells whether a movement that the acquirer has not seen may be sent again under its reference. Where a repeat can be
 * carried out in addition to the first call, the first must not be able to arrive any more: of two calls under way one
 * might be declined, and the other pay.
 */
function mayRepeat(
  { sentMsAgo, horizonMs }: Sending,
  { repetition }: Pick<Capabilities, "repetition">,
): boolean {
  return repetition === "replay" || sentMsAgo === null || sentMsAgo > horizonMs;
}

const MISMATCH = { kind: "unknown", reason: "mismatch" } as const;
