import type { AcquirerAmount, AcquirerOutcome, Expired, InquiryOutcome } from "./acquirer.ts";

/**
 * The n-th reference of one movement of money that is repeated until its outcome is known; the first has no number. The
 * next one is taken where the acquirer has called the one before too late, so that nothing will ever move under it.
 */
export function withSubReference(reference: string, sub: number): string {
  return sub === 1 ? reference : `${reference}:${sub}`;
}

/** The outcome of such a movement, or that it is to be sent again, under the same reference or the next. */
export type MovementOutcome = Exclude<AcquirerOutcome, Expired> | "repeat" | "repeat_anew";

/**
 * What an inquiry about a movement means for it.
 * @param asked the amount that was asked for: another one under our reference needs an operator.
 */
export function movementOutcome(inquiry: InquiryOutcome, asked: AcquirerAmount): MovementOutcome {
  switch (inquiry.kind) {
    case "approved": {
      const same = inquiry.amountMinor === asked.amountMinor && inquiry.currency === asked.currency;
      return same ? inquiry : MISMATCH;
    }
    case "not_found":
      return "repeat";
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

const MISMATCH = { kind: "unknown", reason: "mismatch" } as const;
