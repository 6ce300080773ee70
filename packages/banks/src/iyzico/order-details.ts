import {
  businessDayEnd,
  type BankMovement,
  type BusinessDay,
  type InquiryOutcome,
  type MovementKind,
  type Unknown,
} from "@holdfast/acquirer";
import {
  amount,
  currency,
  INVALID_ANSWER,
  list,
  MISMATCH,
  optional,
  optionalWord,
  ownName,
  ROWS_MAX,
  word,
  type Success,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import type { Answer } from "./envelope.ts";
import { reviewOf, SUCCESS } from "./read-payment.ts";

/** iyzico's record of one order: its payments, with the cancels and refunds of each. */
export type OrderDetails = { kind: "payments"; payments: readonly ReportedPayment[] } | Unknown;

/**
 * The answer `success` of `GET /v2/reporting/payment/details`. An order that iyzico does not know has no payments.
 * @param orderId by which it was asked.
 */
export function readDetails(answer: Answer, orderId: string): OrderDetails {
  const read = details.safeParse(answer);
  if (!read.success) return INVALID_ANSWER;
  const { payments } = read.data;
  if (payments.some(({ paymentConversationId }) => paymentConversationId !== orderId)) return MISMATCH;
  return { kind: "payments", payments };
}

const done = { authCode: optionalWord, hostReference: optionalWord };
const back = { ...done, refundPrice: amount, currencyCode: currency, refundStatus: z.string().max(16) };
const cancel = z.object({
  ...back,
  refundId: optionalWord,
  cancelConversationId: optional(z.string().max(160)),
});
const refund = z.object({
  ...back,
  refundTxId: optionalWord,
  refundConversationId: optional(z.string().max(160)),
});

const named = { paymentConversationId: ownName };
const described = {
  ...named,
  ...done,
  paymentId: word,
  basketId: ownName,
  currency,
  price: amount,
  paidPrice: amount,
  fraudStatus: optionalWord,
};
const phase = z.enum(["AUTH", "PRE_AUTH", "POST_AUTH"]);

/** `paymentStatus`: only 1 is a success, 0 is a failure; with 2 and 3 the 3-D Secure has not ended. */
const taken = z.object({
  ...described,
  paymentStatus: z.literal("1"),
  phase,
  threeDS: optional(z.union([z.boolean(), z.string().max(8)])),
  cancels: list(cancel),
  itemTransactions: list(z.object({ refunds: list(refund) })),
});

/** A failure without all of these fields matches none of our calls. */
const refused = z.object({
  ...described,
  paymentStatus: z.literal("0"),
  phase: phase.optional().catch(undefined),
});
const open = z.object({
  ...named,
  paymentStatus: z.enum(["0", "2", "3"]).transform(() => "open" as const),
});

export type TakenPayment = z.output<typeof taken>;
type RefusedPayment = z.output<typeof refused>;
type Cancel = z.output<typeof cancel>;
type Refund = z.output<typeof refund>;
export type ReportedPayment = TakenPayment | RefusedPayment | z.output<typeof open>;

const details = z.object({ payments: z.array(z.union([taken, refused, open])).max(ROWS_MAX) });

/**
 * The payments that were captured or reserved under a reference of ours. iyzico carries a repeat out, so there may be
 * several.
 */
export function takenUnder(payments: readonly ReportedPayment[], reference: string): TakenPayment[] {
  return payments.flatMap((payment) =>
    payment.paymentStatus === "1" && payment.basketId === reference ? [payment] : [],
  );
}

/** A payment as a reversal sees it. `because` says why it can no longer be cancelled. */
export type Cancellable = Success & { because: string };

/**
 * A cancel gives a whole payment back. It is possible only on the business day, and not for a payment that
 * has been refunded in part. Of one that has been refunded in whole nothing is left. An authorization can be
 * cancelled on later days, too.
 */
export function asCancellable(
  payment: TakenPayment,
  sentAt: Date,
  { now, businessDay }: { now: Date; businessDay: BusinessDay },
): Cancellable {
  const { paymentId: externalTransactionId, paidPrice: amountMinor, currency: of } = payment;
  const common = { externalTransactionId, amountMinor, currency: of, resultCode: "not_cancellable" };
  const isHold = payment.phase === "PRE_AUTH";
  if (isCancelled(payment) || isRefunded(payment)) return { ...common, state: "voided", because: "" };
  if (refundsOf(payment).length > 0) return { ...common, state: "settled", because: "partly refunded" };
  if (!isHold && now >= businessDayEnd(sentAt, businessDay))
    return { ...common, state: "settled", because: "its business day has ended" };
  return { ...common, state: isHold ? "held" : "taken", because: "" };
}

/**
 * All movements of an order. A payment whose 3-D Secure has not ended is not one yet. iyzico shows a capture only as a
 * payment's phase, so a capture has the payment's id.
 */
export function movementsOf(payments: readonly ReportedPayment[]): InquiryOutcome {
  if (payments.length === 0) return { kind: "not_found" };
  return { kind: "found", movements: payments.flatMap(ofPayment) };
}

function ofPayment(payment: ReportedPayment): BankMovement[] {
  switch (payment.paymentStatus) {
    case "open":
      return [];
    case "0":
      return [refusal(payment)];
    case "1":
      return [...charges(payment), ...payment.cancels.map(voidOf), ...refundsOf(payment)];
    default:
      return payment satisfies never;
  }
}

function refusal(payment: RefusedPayment): BankMovement {
  return {
    kind: payment.phase === "PRE_AUTH" ? "authorize" : "sale",
    state: "declined",
    amountMinor: payment.paidPrice,
    currency: payment.currency,
    ownReference: payment.basketId,
    externalTransactionId: payment.paymentId,
    resultCode: "failure",
    resultMessage: payment.fraudStatus === "-1" ? "refused by fraud review" : "",
  };
}

/**
 * The sale, or the authorization and its capture. Its `price` is the reserved amount, its `paidPrice` the captured one.
 */
function charges(payment: TakenPayment): BankMovement[] {
  const common = {
    state: isCancelled(payment) ? ("voided" as const) : ("approved" as const),
    currency: payment.currency,
    externalTransactionId: payment.paymentId,
    ...codesOf(payment),
  };
  const { price, paidPrice, threeDS } = payment;
  const begun = {
    ...common,
    ownReference: payment.basketId,
    // We complete a 3-D Secure payment only where the cardholder was authenticated.
    ...([true, "true", "1"].includes(threeDS ?? false) && { authentication: { transStatus: "Y" as const } }),
    ...reviewOf(payment.fraudStatus),
  };
  switch (payment.phase) {
    case "AUTH":
      return [{ ...begun, kind: "sale", amountMinor: paidPrice }];
    case "PRE_AUTH":
      return [{ ...begun, kind: "authorize", amountMinor: paidPrice }];
    case "POST_AUTH":
      return [
        { ...begun, kind: "authorize", amountMinor: price },
        { ...common, kind: "capture", amountMinor: paidPrice },
      ];
    default:
      return payment.phase satisfies never;
  }
}

/** True once a cancel has reversed the payment. */
function isCancelled({ cancels }: TakenPayment): boolean {
  return cancels.some(({ refundStatus }) => refundStatus === DONE);
}

/** True once refunds have given the whole payment back. */
function isRefunded(payment: TakenPayment): boolean {
  const done = refundsOf(payment).filter(({ state }) => state === "approved");
  return done.length > 0 && done.reduce((sum, { amountMinor }) => sum + amountMinor, 0n) >= payment.paidPrice;
}

/** The documents do not define other values, so they are neither done nor refused. */
const DONE = "1";

function voidOf(given: Cancel): BankMovement {
  const { hostReference, refundId, cancelConversationId } = given;
  return { ...movedBack("void", given), ...namesOf(hostReference ?? refundId, cancelConversationId) };
}

/**
 * iyzico spreads one refund of an amount over the items of the basket. Its parts share one reference of ours
 * and are one movement here; a refund that was carried out twice shows as one of twice the amount.
 */
function refundsOf({ itemTransactions }: TakenPayment): BankMovement[] {
  const all = itemTransactions.flatMap(({ refunds }) => refunds);
  const groups = Map.groupBy(all, (part) => part.refundConversationId || (part.refundTxId ?? part));
  return [...groups.values()].map((parts) => refundOf(parts as [Refund, ...Refund[]]));
}

function refundOf(parts: readonly [Refund, ...Refund[]]): BankMovement {
  const [{ hostReference, refundTxId, refundConversationId }] = parts;
  const open = parts.find(({ refundStatus }) => refundStatus !== DONE);
  return {
    ...movedBack("refund", open ?? parts[0]),
    amountMinor: parts.reduce((sum, { refundPrice }) => sum + refundPrice, 0n),
    ...namesOf(hostReference ?? refundTxId, refundConversationId),
  };
}

function movedBack(kind: MovementKind, row: Cancel | Refund): BankMovement {
  return {
    kind,
    state: row.refundStatus === DONE ? "approved" : "pending",
    amountMinor: row.refundPrice,
    currency: row.currencyCode,
    ...codesOf(row),
  };
}

/** @param externalTransactionId the name from the answer to the call, or else the one that only reporting has. */
function namesOf(externalTransactionId: string | undefined, ownReference: string | undefined) {
  return {
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    ...(ownReference && { ownReference }),
  };
}

function codesOf({ authCode, hostReference }: Pick<TakenPayment, "authCode" | "hostReference">) {
  return {
    ...(authCode !== undefined && { authCode }),
    ...(hostReference !== undefined && { hostReference }),
    ...SUCCESS,
  };
}
