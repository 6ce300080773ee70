import type { Modes } from "../control/modes.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import { cardBin } from "./card-bins.ts";
import { spread, sumOf } from "./commission.ts";
import { phaseOf, refundableOf, refundedOf, type Payment, type PaymentItem } from "./payment.ts";
import type { CardPlan } from "./test-cards.ts";

/**
 * `decline`: the bank judged it, which the ledger and the inquiries know. `refuse`: it was not judged, and leaves no
 * trace.
 */
export type Decision =
  | { kind: "approve" }
  | { kind: "decline"; code: ErrorCode; isFraudRefusal?: true }
  | { kind: "refuse"; code: ErrorCode };

/** A requested payment; amounts are minor units. */
export type PaymentOrder = {
  priceMinor: bigint;
  paidPriceMinor: bigint;
  currency: string;
  installment: number;
  itemPricesMinor: readonly bigint[];
  pan: string;
  /** The card's expiry, `YYYY-MM`. */
  expiry: string;
};

/** Source of the rules: iyzico protocol, error codes, and rules that the simulator has to enforce. */
export function decidePayment(
  order: PaymentOrder,
  plan: CardPlan | undefined,
  now: Date,
  { fraudStatus }: Pick<Modes, "fraudStatus">,
): Decision {
  const refusal = refusalOfOrder(order, plan);
  if (refusal) return { kind: "refuse", code: refusal };
  if (order.expiry < now.toISOString().slice(0, 7)) return { kind: "decline", code: "10054" };
  if (plan?.resultCode) return { kind: "decline", code: plan.resultCode };
  return fraudStatus === -1 ? fraudRefusal : approve;
}

/** The order's own faults, which an enrolment in 3-D Secure finds, too. */
export function refusalOfOrder(order: PaymentOrder, plan: CardPlan | undefined): ErrorCode | undefined {
  if (order.priceMinor === 0n || order.paidPriceMinor === 0n) return "5005";
  if (order.priceMinor > PRICE_MAX_MINOR || order.paidPriceMinor > PRICE_MAX_MINOR) return "5008";
  if (sumOf(order.itemPricesMinor) !== order.priceMinor) return "5062";
  if (!plan) return "12";
  const card = cardBin(order.pan);
  if (card.isTurkish && order.currency !== "TRY") return "5184";
  return card.cardType === "DEBIT_CARD" && order.installment > 1 ? "10218" : undefined;
}

/** An account's limit of 100 000 (iyzico protocol, error code 5008). */
const PRICE_MAX_MINOR = 10_000_000n;

/** Captures a hold, once. The issuer's view of another amount is a mode, because issuers differ. */
export function decideCapture(
  payment: Payment,
  asked: { amountMinor: bigint; currency: string },
  modes: Pick<Modes, "captures" | "captureAmounts">,
): Decision {
  if (asked.currency !== payment.currency) return { kind: "refuse", code: "5184" };
  if (asked.amountMinor === 0n) return { kind: "refuse", code: "5005" };
  if (asked.amountMinor > PRICE_MAX_MINOR) return { kind: "refuse", code: "5008" };
  if (payment.state !== "approved" || payment.cancel) return { kind: "decline", code: "10012" };
  if (phaseOf(payment) === "POST_AUTH") return { kind: "decline", code: "10203" };
  if (phaseOf(payment) === "AUTH" || payment.refusesFollowUps) return { kind: "decline", code: "10012" };
  if (!isCaptureAmount(asked.amountMinor, payment.paidPriceMinor, modes.captureAmounts))
    return { kind: "decline", code: "10231" };
  return modes.captures === "refused" ? { kind: "decline", code: "10005" } : approve;
}

function isCaptureAmount(asked: bigint, held: bigint, allowed: Modes["captureAmounts"]): boolean {
  switch (allowed) {
    case "lower":
      return asked <= held;
    case "equal":
      return asked === held;
    case "higher":
      return true;
    default:
      return allowed satisfies never;
  }
}

/** Cancels a whole payment on its business day, before any refund. */
export function decideCancel(payment: Payment, { holdCancel }: Pick<Modes, "holdCancel">): Decision {
  if (payment.cancel) return { kind: "decline", code: "10203" };
  if (payment.state !== "approved" || payment.refusesFollowUps) return { kind: "decline", code: "10012" };
  if (payment.items.some(({ refunds }) => refunds.length > 0)) return { kind: "decline", code: "10012" };
  if (phaseOf(payment) !== "PRE_AUTH")
    return payment.isDayOver ? { kind: "decline", code: "10223" } : approve;
  switch (holdCancel) {
    case "any_day":
      return approve;
    case "same_day":
      return payment.isDayOver ? { kind: "decline", code: "10223" } : approve;
    case "refused":
      return { kind: "decline", code: "10012" };
    default:
      return holdCancel satisfies never;
  }
}

/** `parts` are the refunded amounts by item. */
export type RefundDecision =
  | { kind: "approve"; parts: { item: PaymentItem; amountMinor: bigint }[] }
  | Exclude<Decision, { kind: "approve" }>;

/** Refunds an item, or, without one, an amount of the payment, for which the bank chooses the items in their order. */
export function decideRefund(
  payment: Payment,
  asked: { amountMinor: bigint; currency: string; item: PaymentItem | undefined },
  now: Date,
  { sameDayRefunds }: Pick<Modes, "sameDayRefunds">,
): RefundDecision {
  const { amountMinor, currency, item } = asked;
  if (currency !== payment.currency) return { kind: "refuse", code: "5184" };
  if (amountMinor === 0n) return { kind: "refuse", code: "5005" };
  if (payment.state !== "approved" || payment.cancel || phaseOf(payment) === "PRE_AUTH")
    return { kind: "decline", code: "10012" };
  if (payment.refusesFollowUps) return { kind: "decline", code: "10246" };
  if (now.getTime() - Date.parse(payment.createdAt) > REFUND_PERIOD_MS)
    return { kind: "decline", code: "10246" };
  const left = item ? item.paidPriceMinor - refundedOf(item) : refundableOf(payment);
  if (amountMinor > left) return { kind: "decline", code: "5008" };
  if (!payment.isDayOver && sameDayRefunds === "refused") return { kind: "decline", code: "10223" };
  return { kind: "approve", parts: item ? [{ item, amountMinor }] : partsOf(payment, amountMinor) };
}

/** 365 days (iyzico protocol, idempotency, time-outs, limits). */
const REFUND_PERIOD_MS = 365 * 86_400_000;

function partsOf(payment: Payment, amountMinor: bigint) {
  let left = amountMinor;
  const parts = payment.items.map((item) => {
    const refundable = item.paidPriceMinor - refundedOf(item);
    const part = refundable < left ? refundable : left;
    left -= part;
    return { item, amountMinor: part };
  });
  return parts.filter(({ amountMinor }) => amountMinor > 0n);
}

/** The end of a 3-D Secure payment; in the second version it repeats the data of the start. */
export type Completion = {
  conversationId: string;
  start: { paidPriceMinor: bigint; basketId: string; currency: string } | undefined;
};

/** Decides whether an authenticated payment may be charged. The start's own rules were enforced at the start. */
export function decideCompletion(
  payment: Payment,
  { conversationId, start }: Completion,
  { fraudStatus }: Pick<Modes, "fraudStatus">,
): Decision {
  const { threeDs } = payment;
  if (!threeDs) return { kind: "refuse", code: "5002" };
  if (payment.state === "approved") return { kind: "refuse", code: "10203" };
  if (payment.state === "declined") return { kind: "refuse", code: payment.resultCode ?? "10220" };
  if (conversationId !== payment.conversationId || !isSameStart(payment, start))
    return { kind: "refuse", code: "11" };
  // The call leaves no trace: the payment stays as the authentication has left it.
  if (threeDs.returnStatus !== "success" || threeDs.mdStatus !== "1")
    return { kind: "refuse", code: "10210" };
  if (threeDs.plan.resultCode) return { kind: "decline", code: threeDs.plan.resultCode };
  return fraudStatus === -1 ? fraudRefusal : approve;
}

function isSameStart(payment: Payment, start: Completion["start"]): boolean {
  return (
    !start ||
    (start.paidPriceMinor === payment.paidPriceMinor &&
      start.basketId === payment.basketId &&
      start.currency === payment.currency)
  );
}

/** The part of a payment that each item pays, by its price. */
export function itemShares(paidPriceMinor: bigint, itemPricesMinor: readonly bigint[]): bigint[] {
  return spread(paidPriceMinor, itemPricesMinor);
}

const approve = { kind: "approve" } as const;
const fraudRefusal = { kind: "decline", code: "10034", isFraudRefusal: true } as const;
