/** The decisions about chargebacks, made from the rows of the payment and its cases alone, without any I/O. */
import { createTransition } from "@holdfast/contracts";
import { wholeMinor, type PaymentFunds } from "../payment/refundable-minor.ts";

/** The states that may follow each status. A bank may give back what was lost. */
export const CHARGEBACK_TRANSITIONS = {
  NONE: ["OPEN"],
  OPEN: ["WON", "LOST", "WITHDRAWN"],
  LOST: ["WON"],
  WON: [],
  WITHDRAWN: [],
} as const satisfies Record<ChargebackStatus | "NONE", readonly ChargebackStatus[]>;

export type ChargebackStatus = "OPEN" | ChargebackOutcome;
export type ChargebackOutcome = "WON" | "LOST" | "WITHDRAWN";

/** @returns `to`. @throws IllegalTransitionError when the table does not lead there. */
export const transition = createTransition<ChargebackStatus | "NONE", ChargebackStatus>(
  CHARGEBACK_TRANSITIONS,
);

/** A case, as far as its amount goes; minor units. */
export type CaseFunds = {
  status: ChargebackStatus;
  amount_minor: bigint;
  currency: string;
  reversed_minor: bigint;
};

/**
 * What a case counts against its payment, in the payment's currency. One in another currency counts as the whole payment: what
 * it is worth is not known here, and too much is mended by people while too little is paid twice.
 */
export function countedMinor(one: CaseFunds, payment: PaymentFunds & { currency: string }): bigint {
  if (one.status === "WON" || one.status === "WITHDRAWN") return 0n;
  if (one.currency !== payment.currency)
    return payment.state === "CAPTURED" ? payment.captured_minor : payment.amount_minor;
  return one.amount_minor - one.reversed_minor;
}

/**
 * What of a new case the buyer has been paid already.
 * @param sentMinor what refunds may be paying at this moment.
 */
export function excessMinor(counted: bigint, payment: PaymentFunds, sentMinor: bigint): bigint {
  const left = wholeMinor(payment) - payment.refunded_minor - sentMinor - payment.charged_back_minor;
  return counted - (left < 0n ? 0n : left < counted ? left : counted);
}

/** A case that a line may be about. */
export type KnownCase = CaseFunds & { chargeback_id: string; is_reported: boolean };
type LineFunds = { amount_minor: bigint; currency: string };

/** The case that people opened before the bank's file reported it: of the same amount, and not ended in another way. */
export function caseOfLine<Case extends KnownCase>(
  line: LineFunds,
  cases: readonly Case[],
): Case | undefined {
  return cases.find(
    (one) =>
      !one.is_reported &&
      (one.status === "OPEN" || one.status === "LOST") &&
      one.amount_minor === line.amount_minor &&
      one.currency === line.currency,
  );
}

/**
 * The case of which a line gives back: one with just this amount left before any larger one, the oldest first. A case that
 * people called won is among them.
 */
export function caseOfReversal<Case extends KnownCase>(
  line: LineFunds,
  cases: readonly Case[],
): Case | undefined {
  const fitting = cases.filter(
    (one) =>
      one.status !== "WITHDRAWN" &&
      one.currency === line.currency &&
      one.amount_minor - one.reversed_minor >= line.amount_minor,
  );
  return fitting.find((one) => one.amount_minor - one.reversed_minor === line.amount_minor) ?? fitting[0];
}

/** What a case is once the bank has given back a part of it. */
export function afterReversal(
  { status, amount_minor, reversed_minor }: CaseFunds,
  minor: bigint,
): Pick<CaseFunds, "status" | "reversed_minor"> {
  const reversed = reversed_minor + minor;
  const isWhole = reversed === amount_minor && status !== "WON";
  return { reversed_minor: reversed, status: isWhole ? transition(status, "WON") : status };
}
