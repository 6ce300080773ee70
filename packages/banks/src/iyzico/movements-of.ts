import type { BankMovement, InquiryOutcome, MovementKind } from "@holdfast/acquirer";
import {
  PAYMENT_STATUS,
  type GivenBack,
  type RefusedPayment,
  type ReportedPayment,
  type ReportedRefund,
  type TakenPayment,
} from "./read-details.ts";
import { SUCCESS } from "./read-payment.ts";

/**
 * All movements of an order. A payment whose 3-D Secure has not ended is not one yet. iyzico shows a capture only as a
 * payment's phase, so a capture has the payment's id and no time of its own.
 */
export function movementsOf(payments: readonly ReportedPayment[]): InquiryOutcome {
  if (payments.length === 0) return { kind: "not_found" };
  return { kind: "found", movements: payments.flatMap(ofPayment) };
}

function ofPayment(payment: ReportedPayment): BankMovement[] {
  switch (payment.paymentStatus) {
    case "open":
      return [];
    case PAYMENT_STATUS.failure:
      return [refusal(payment)];
    case PAYMENT_STATUS.success:
      return [...charges(payment), ...payment.cancels.map(voidOf), ...refunds(payment)];
    default:
      return payment satisfies never;
  }
}

function refusal(payment: RefusedPayment): BankMovement {
  const { phase, fraudStatus, paymentId, basketId, currency, paidPrice: amountMinor } = payment;
  return {
    kind: phase === "PRE_AUTH" ? "authorize" : "sale",
    state: "declined",
    amountMinor,
    currency,
    ownReference: basketId,
    externalTransactionId: paymentId,
    resultCode: "failure",
    resultMessage: fraudStatus === "-1" ? "refused by fraud review" : "",
    ...timeOf(payment),
  };
}

/**
 * The sale, or the authorization and its capture. Its `price` is the reserved amount, its `paidPrice` the captured one.
 */
function charges(payment: TakenPayment): BankMovement[] {
  const { phase, price, paidPrice, currency, paymentId, basketId } = payment;
  const common = {
    state: isCancelled(payment) ? ("voided" as const) : ("approved" as const),
    currency,
    externalTransactionId: paymentId,
    ...codesOf(payment),
  };
  const begun = {
    ...common,
    ownReference: basketId,
    ...(isThreeDs(payment) && { authentication: { transStatus: "Y" as const } }),
    ...reviewOf(payment),
    ...timeOf(payment),
  };
  switch (phase) {
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
      return phase satisfies never;
  }
}

/**
 * The fraud desk's verdict, which may come after the issuer's approval. The documents do not say that iyzico gives back
 * a payment that it then refuses, so the payment stands until a cancel or a refund is shown. A value that they do not
 * name releases no goods.
 */
function reviewOf({ fraudStatus }: Pick<TakenPayment, "fraudStatus">): Pick<BankMovement, "fraudReview"> {
  if (fraudStatus === undefined) return {};
  return { fraudReview: REVIEWS.get(fraudStatus) ?? "in_review" };
}

const REVIEWS: ReadonlyMap<string, BankMovement["fraudReview"]> = new Map([
  ["1", "accepted"],
  ["0", "in_review"],
  ["-1", "rejected"],
]);

/** True once a cancel has reversed the payment. */
export function isCancelled({ cancels }: TakenPayment): boolean {
  return cancels.some(({ refundStatus }) => refundStatus === DONE);
}

/** The documents do not say what other values mean, so they are neither done nor refused. */
const DONE = "1";

/** We complete a 3-D Secure payment only where the cardholder was authenticated. */
function isThreeDs({ threeDS }: TakenPayment): boolean {
  return threeDS === true || threeDS === "true" || threeDS === "1";
}

function voidOf(cancel: TakenPayment["cancels"][number]): BankMovement {
  const { refundId, cancelConversationId } = cancel;
  return {
    ...movedBack("void", cancel),
    ...nameOf(cancel, refundId),
    ...(cancelConversationId && { ownReference: cancelConversationId }),
  };
}

/**
 * iyzico spreads one refund of an amount over the items of the basket. Its parts have one reference of ours and are one
 * movement here; a refund that was carried out twice shows as one of twice the amount.
 */
function refunds({ itemTransactions }: TakenPayment): BankMovement[] {
  const all = itemTransactions.flatMap((item) => item.refunds);
  const groups = Map.groupBy(all, (refund) => refund.refundConversationId || (refund.refundTxId ?? refund));
  return [...groups.values()].map((parts) => refundOf(parts as [ReportedRefund, ...ReportedRefund[]]));
}

function refundOf(parts: readonly [ReportedRefund, ...ReportedRefund[]]): BankMovement {
  const [first] = parts;
  const { refundTxId, refundConversationId } = first;
  const open = parts.find(({ refundStatus }) => refundStatus !== DONE);
  return {
    ...movedBack("refund", open ?? first),
    amountMinor: parts.reduce((sum, { refundPrice }) => sum + refundPrice, 0n),
    ...nameOf(first, refundTxId),
    ...(refundConversationId && { ownReference: refundConversationId }),
  };
}

/** The name from the answer to the call, or else the one that only reporting has. */
function nameOf({ hostReference }: Pick<GivenBack, "hostReference">, reportedId: string | undefined) {
  const externalTransactionId = hostReference ?? reportedId;
  return externalTransactionId === undefined ? {} : { externalTransactionId };
}

function movedBack(kind: MovementKind, row: GivenBack): BankMovement {
  return {
    kind,
    state: row.refundStatus === DONE ? "approved" : "pending",
    amountMinor: row.refundPrice,
    currency: row.currencyCode,
    ...codesOf(row),
    ...timeOf(row),
  };
}

function codesOf({ authCode, hostReference }: Pick<TakenPayment, "authCode" | "hostReference">) {
  return {
    ...(authCode !== undefined && { authCode }),
    ...(hostReference !== undefined && { hostReference }),
    resultCode: SUCCESS.code,
    resultMessage: SUCCESS.message,
  };
}

function timeOf({ createdDate }: Pick<TakenPayment, "createdDate">): { at?: Date } {
  return createdDate === undefined ? {} : { at: createdDate };
}
