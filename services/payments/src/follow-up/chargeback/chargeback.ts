/** The decisions about chargebacks, made from the rows of the payment and its cases alone, without any I/O. */
import { amountToJson, createTransition, type CommandReply } from "@holdfast/contracts";
import { merchantStatus } from "../../payment/payment.ts";
import { wholeMinor, type PaymentFunds } from "../../payment/refundable-minor.ts";

/** The states that may follow each status. A bank may give a lost chargeback back. */
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

/** A buyer's dispute, or a refund that the bank has made without us; both take the payment's money. */
export type ChargebackKind = "CHARGEBACK" | "REFUND";

/** A case, as far as its amount goes; minor units. */
export type CaseFunds = {
  kind: ChargebackKind;
  status: ChargebackStatus;
  amount_minor: bigint;
  currency: string;
  reversed_minor: bigint;
};

/** The columns of a payment that an opening looks at. */
export type DisputedPayment = PaymentFunds & {
  transaction_type: "PRE_AUTHORIZATION" | "PAYMENT";
  currency: string;
  currency_exponent: number;
  operation_id: string | null;
};

/**
 * Judges whether an operator may open a case of this amount. The bank can take back only captured money, and
 * each part of it once, so the earlier cases bound the amount. Refunds do not reduce it: a refunded buyer may
 * still dispute the payment, the bank decides, and the case says which amount is paid twice.
 * @param cases the payment's existing cases.
 * @returns the refusal, or undefined.
 */
export function refuseOpening(
  payment: DisputedPayment,
  cases: readonly (CaseFunds & { chargeback_id: string })[],
  asked: { amountMinor: bigint; currency: string },
): Extract<CommandReply<never>, { outcome: "problem" }> | undefined {
  const { state, transaction_type, operation_id, currency, currency_exponent } = payment;
  if (operation_id !== null) return { outcome: "problem", code: "operation_in_progress" };
  const isCaptured = state === "CAPTURED" || (state === "SUCCESS" && transaction_type === "PAYMENT");
  if (!isCaptured) {
    const extra = { currentStatus: merchantStatus(state) };
    return { outcome: "problem", code: "payment_not_captured", extra };
  }
  if (asked.currency !== currency) return { outcome: "problem", code: "currency_mismatch" };
  const same = cases.find(
    ({ kind, status, amount_minor }) =>
      kind === "CHARGEBACK" && status === "OPEN" && amount_minor === asked.amountMinor,
  );
  if (same) return { outcome: "problem", code: "chargeback_exists", detail: `It is ${same.chargeback_id}` };
  const left = wholeMinor(payment) - payment.charged_back_minor;
  const disputable = left < 0n ? 0n : left;
  if (asked.amountMinor > disputable) {
    const extra = { disputableAmount: amountToJson(disputable, currency_exponent) };
    return { outcome: "problem", code: "chargeback_amount_exceeds_captured", extra };
  }
  return undefined;
}

/**
 * The amount of a case that counts against its payment, in the payment's currency. One in another currency counts as
 * the whole payment: its worth is not known here, and people can mend too much, while too little is paid twice.
 */
export function countedMinor(one: CaseFunds, payment: PaymentFunds & { currency: string }): bigint {
  if (one.status === "WON" || one.status === "WITHDRAWN") return 0n;
  if (one.currency !== payment.currency)
    return payment.state === "CAPTURED" ? payment.captured_minor : payment.amount_minor;
  return one.amount_minor - one.reversed_minor;
}

/**
 * The part of a new case that the buyer has been paid already.
 * @param sentMinor what refunds may be paying at this moment.
 */
export function excessMinor(counted: bigint, payment: PaymentFunds, sentMinor: bigint): bigint {
  const left = wholeMinor(payment) - payment.refunded_minor - sentMinor - payment.charged_back_minor;
  return counted - (left < 0n ? 0n : left < counted ? left : counted);
}

/**
 * The cases whose excess has become smaller, because a movement under way at their opening was not carried
 * out. They are calculated as if they were opened now, one after another.
 * @param cases oldest first.
 * @param sentMinor see `excessMinor`.
 */
export function lowerExcesses<Case extends { counted_minor: bigint; excess_minor: bigint }>(
  cases: readonly Case[],
  payment: PaymentFunds,
  sentMinor: bigint,
): Case[] {
  let charged_back_minor = 0n;
  return cases.flatMap((one) => {
    const excess_minor = excessMinor(one.counted_minor, { ...payment, charged_back_minor }, sentMinor);
    charged_back_minor += one.counted_minor;
    return one.counted_minor > 0n && excess_minor < one.excess_minor ? [{ ...one, excess_minor }] : [];
  });
}

/** A case that a line may be about. */
export type KnownCase = CaseFunds & { chargeback_id: string; is_reported: boolean };
type LineFunds = { amount_minor: bigint; currency: string };

/** The case that people opened before the bank's file reported it: of the same amount, and not ended in another way. */
export function caseOfLine<Case extends KnownCase>(
  line: LineFunds & { kind: ChargebackKind },
  cases: readonly Case[],
): Case | undefined {
  return cases.find(
    (one) =>
      !one.is_reported &&
      one.kind === line.kind &&
      (one.status === "OPEN" || one.status === "LOST") &&
      one.amount_minor === line.amount_minor &&
      one.currency === line.currency,
  );
}

/**
 * The case that a line gives back: a case with exactly this amount left comes before any larger one, and then
 * the oldest. Cases that people called won are included.
 */
export function caseOfReversal<Case extends KnownCase>(
  line: LineFunds,
  cases: readonly Case[],
): Case | undefined {
  const fitting = cases.filter(
    (one) =>
      one.kind === "CHARGEBACK" &&
      one.status !== "WITHDRAWN" &&
      one.currency === line.currency &&
      one.amount_minor - one.reversed_minor >= line.amount_minor,
  );
  return fitting.find((one) => one.amount_minor - one.reversed_minor === line.amount_minor) ?? fitting[0];
}

/** The case once the bank has given back a part of it. */
export function afterReversal(
  { status, amount_minor, reversed_minor }: CaseFunds,
  minor: bigint,
): Pick<CaseFunds, "status" | "reversed_minor"> {
  const reversed = reversed_minor + minor;
  const isWhole = reversed === amount_minor && status !== "WON";
  return { reversed_minor: reversed, status: isWhole ? transition(status, "WON") : status };
}
