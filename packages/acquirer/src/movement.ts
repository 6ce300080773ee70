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
 * Our reference of a refund: every service that names the refund to the bank, or the bank's answer to operators, has it here.
 * @param refundId a UUID, with which the reference begins.
 */
export function refundReference(refundId: string, sub: number): string {
  return withSubReference(`${refundId}:refund`, sub);
}

/**
 * The outcome of such a movement, or that it is to be sent again, under the same reference or the next, or that it must not
 * be sent again yet, since the first call may still arrive.
 */
export type MovementOutcome = Exclude<AcquirerOutcome, Expired> | "repeat" | "repeat_anew" | "wait";

/** The last time that the movement was sent under its reference. */
export type Sending = {
  /** How long ago it may have left this machine; null where it certainly has not. */
  sentMsAgo: number | null;
  /** How long after that the acquirer may still get it: the bound of a call, and the longest delay that is expected. */
  horizonMs: number;
};

/**
 * What an inquiry about a movement means for it.
 * @param asked the amount that was asked for: another one under our reference needs an operator.
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
      return "repeat_anew";
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
 * Whether a movement that the acquirer has not seen may be sent again under its reference. Where a repeat can be carried out
 * beside the first call, the first must not be able to arrive any more: of two calls under way one might be declined, and the
 * other pay.
 */
function mayRepeat(
  { sentMsAgo, horizonMs }: Sending,
  { repetition }: Pick<Capabilities, "repetition">,
): boolean {
  return repetition === "replay" || sentMsAgo === null || sentMsAgo > horizonMs;
}

const MISMATCH = { kind: "unknown", reason: "mismatch" } as const;
