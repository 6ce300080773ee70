import { amountToJson, parseJsonAmount, type CommandReply, type ProblemCode } from "@holdfast/contracts";
import type { HoldShown } from "../../bank/ledger/ask-about.ts";
import { merchantStatus } from "../../payment/payment.ts";
import { refundableMinor, type PaymentFunds } from "../../payment/refundable-minor.ts";

/**
 * The decisions on an authorized payment, made from its row alone. The row is locked meanwhile, so of a
 * capture, a cancellation, an expiry and a refund's reservation that arrive together, each sees the previous
 * one's effect.
 */
export type OperationKind = "CAPTURE" | "CANCEL" | "EXPIRY";

/** The columns the decisions look at. */
export type OperablePayment = PaymentFunds & {
  transaction_type: "PRE_AUTHORIZATION" | "PAYMENT";
  currency: string;
  currency_exponent: number;
  operation_id: string | null;
  created_at: Date;
};

export type Refused = Extract<CommandReply<never>, { outcome: "problem" }>;
export type OperationDecision = { kind: "go"; amountMinor: bigint } | Refused;

/** Captures all that is left of the authorization, or a part of it. */
export function decideCapture(
  payment: OperablePayment,
  { amount, currency }: { amount?: string | undefined; currency?: string | undefined },
): OperationDecision {
  const capturable = payment.amount_minor - payment.released_minor;
  if (!isFree(payment) || payment.transaction_type !== "PRE_AUTHORIZATION" || capturable === 0n) {
    return notNow(payment);
  }
  if (currency !== undefined && currency !== payment.currency) return refuse("currency_mismatch");
  if (amount === undefined) return { kind: "go", amountMinor: capturable };
  const amountMinor = parseJsonAmount(amount, payment.currency_exponent);
  if (typeof amountMinor !== "bigint") {
    const fault = {
      field: "amount",
      code: amountMinor,
      message: "must be a valid amount in the payment's currency",
    };
    return refuse("validation_failed", { errors: [fault] });
  }
  if (amountMinor > capturable) {
    return refuse("capture_amount_exceeds_authorized", {
      capturableAmount: amountToJson(capturable, payment.currency_exponent),
    });
  }
  return { kind: "go", amountMinor };
}

/** @param sameBusinessDay whether the payment was made on the current business day. */
export function decideCancel(payment: OperablePayment, sameBusinessDay: boolean): OperationDecision {
  const left = payment.amount_minor - payment.released_minor;
  // A void gives the buyer all of it, and so would a chargeback.
  const voidable = sameBusinessDay && payment.refunded_minor === 0n && payment.charged_back_minor === 0n;
  if (!isFree(payment) || left === 0n) return notNow(payment);
  if (payment.transaction_type === "PAYMENT" && !voidable) {
    return payment.refunded_minor > 0n ? alreadyRefunded(payment) : notNow(payment);
  }
  return { kind: "go", amountMinor: left };
}

/** The caller has checked that the authorization is old enough. */
export function decideExpiry(payment: OperablePayment): OperationDecision {
  const left = payment.amount_minor - payment.released_minor;
  if (!isFree(payment) || payment.transaction_type !== "PRE_AUTHORIZATION" || left === 0n)
    return notNow(payment);
  return { kind: "go", amountMinor: left };
}

/** An expiry that the acquirer declined, and what is known of its authorization. */
export type DeclinedExpiry = {
  /** The declines so far, this one among them. */
  declines: number;
  hold: HoldShown;
  /** A capture that was not answered may still be carried out. */
  captureMayArrive: boolean;
  /** The authorization's business day is over, by our own clock. */
  isDayOver: boolean;
  /** The bank says that it no longer voids the authorization: see `Declined`. */
  isTooLate: boolean;
};

/**
 * `lapses`: the authorization is valid, and nothing more can be sent. `gone`: the funds count as released.
 */
export type AfterDeclinedExpiry = { againInMs: number } | { end: "lapses" | "gone" };

/**
 * Decides on an expiry that the acquirer declined. Some banks release an authorization on its business day
 * only, and let it lapse by itself later. If the record shows the authorization without a capture, it has
 * expired. Otherwise the expiry is tried again a day later, then two days later, and not again after the
 * third decline: banks release old authorizations by themselves, and then decline to cancel them. An
 * authorization that the bank may have captured, or may still capture, is tried again every fourth day
 * without an end.
 */
export function expiryAfterDecline({
  declines,
  hold,
  captureMayArrive,
  isDayOver,
  isTooLate,
}: DeclinedExpiry): AfterDeclinedExpiry {
  const mayBeCaptured = hold === "captured" || hold === "unknown" || captureMayArrive;
  const isLast = declines >= EXPIRY_DECLINES_MAX;
  const lapses = hold === "standing" && isDayOver && (isTooLate || isLast);
  if (mayBeCaptured || !(lapses || isLast))
    return { againInMs: DAY_MS * 2 ** (Math.min(declines, EXPIRY_DECLINES_MAX) - 1) };
  return { end: lapses ? "lapses" : "gone" };
}

/**
 * Schedules an expiry that could not be sent: again after 5 s, and then after twice the previous wait, up to
 * an hour, since each attempt leaves a row.
 * @param waitMs for how long the bank accepts no such call; it is not tried before.
 */
export function expiryNotSent(times: number, waitMs = 0): { againInMs: number } {
  return { againInMs: Math.max(waitMs, Math.min(HOUR_MS, 5_000 * 2 ** Math.min(times - 1, 20))) };
}

const EXPIRY_DECLINES_MAX = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export type ReservationDecision = { kind: "refund" | "release" } | Refused;

/** @param canRelease whether the payment's bank releases a part of an authorization: elsewhere a capture or a cancellation ends it. */
export function decideReservation(
  payment: OperablePayment,
  { amountMinor, currency, canRelease }: { amountMinor: bigint; currency: string; canRelease: boolean },
): ReservationDecision {
  const { state, transaction_type } = payment;
  if (state !== "SUCCESS" && state !== "CAPTURED") {
    return refuse("payment_not_refundable", { currentStatus: merchantStatus(state) });
  }
  if (currency !== payment.currency) return refuse("currency_mismatch");
  if (payment.operation_id !== null) return refuse("operation_in_progress");
  const remaining = refundableMinor(payment);
  if (amountMinor > remaining) {
    return refuse("refund_amount_exceeds_remaining", {
      remainingRefundableAmount: amountToJson(remaining, payment.currency_exponent),
    });
  }
  const kind = state === "SUCCESS" && transaction_type === "PRE_AUTHORIZATION" ? "release" : "refund";
  if (kind === "release" && !canRelease)
    return refuse("payment_not_refundable", { currentStatus: merchantStatus(state) });
  return { kind };
}

function isFree({ state, operation_id, reserved_minor }: OperablePayment): boolean {
  return state === "SUCCESS" && operation_id === null && reserved_minor === 0n;
}

function notNow(payment: OperablePayment): Refused {
  const { state, operation_id, reserved_minor, amount_minor, currency_exponent } = payment;
  if (operation_id !== null) return refuse("operation_in_progress");
  if (state === "SUCCESS" && reserved_minor > 0n) {
    return refuse("refund_pending", { pendingRefundAmount: amountToJson(reserved_minor, currency_exponent) });
  }
  if (state === "SUCCESS" && givenBack(payment) === amount_minor) return alreadyRefunded(payment);
  return refuse("invalid_payment_state", { currentStatus: merchantStatus(state) });
}

function alreadyRefunded(payment: OperablePayment): Refused {
  const refundedAmount = amountToJson(givenBack(payment), payment.currency_exponent);
  return refuse("already_refunded", { refundedAmount });
}

function givenBack({ released_minor, refunded_minor }: OperablePayment): bigint {
  return released_minor + refunded_minor;
}

function refuse(code: ProblemCode, extra?: Record<string, unknown>): Refused {
  return { outcome: "problem", code, ...(extra && { extra }) };
}
