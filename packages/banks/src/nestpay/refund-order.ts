import {
  businessDayEnd,
  type AcquirerOutcome,
  type BusinessDay,
  type FollowUpRequest,
  type NotSent,
} from "@holdfast/acquirer";
import {
  approvedBy,
  INVALID_ANSWER,
  isRefused,
  MISMATCH,
  PENDING,
  voidTarget,
  type Settled,
} from "@holdfast/acquirer/kit";

import type { NestpayBank } from "./nestpay-bank.ts";
import { coreCodes } from "./result-codes.ts";
import type { WrittenAmount } from "./requests.ts";

export type RefundTerms = { creditBeforeDayEnd: boolean; businessDay: BusinessDay; now: Date };

/**
 * Pays back. Until the end of its business day a sale can only be voided as a whole. Afterwards it can only
 * be credited, in any parts. The bank's clock decides: each way is certainly refused on the wrong day, and
 * then the other way is tried.
 */
export async function refundOrder(
  bank: NestpayBank,
  request: FollowUpRequest,
  amount: WrittenAmount,
  terms: RefundTerms,
): Promise<AcquirerOutcome> {
  const dayEnd = businessDayEnd(request.target.at, terms.businessDay);
  const isDayEnded = terms.now >= dayEnd;
  for (const way of waysToRefund(request, { ...terms, isDayEnded })) {
    const outcome = way === "credit" ? await credit(bank, request, amount) : await voidWhole(bank, request);
    const isOtherDay = outcome.kind === "settled" || (way === "credit" && isRefused(outcome, DAY_NOT_ENDED));
    if (!isOtherDay) return outcome;
  }
  return dayNotEnded(isDayEnded ? businessDayEnd(terms.now, terms.businessDay) : dayEnd);
}

/**
 * Some banks make an authorization valid again when its capture is voided: it is voided as well before the
 * refund counts as paid. If the record of a captured payment shows its authorization, the bank is of this
 * kind or the record lags behind, so a refusal says nothing about the refund.
 */
async function voidWhole(bank: NestpayBank, request: FollowUpRequest) {
  const voided = await voidTarget(bank, request, "record");
  if (voided.kind !== "approved" && voided.kind !== "declined") return voided;
  const outcome = voided.kind === "approved" ? { ...voided, ...AS_VOID } : voided;
  if (!request.target.capturedMinor) return outcome;
  const left = await bank.standing(request);
  if (left.kind === "unknown" || left.kind === "not_sent") return PENDING;
  const hold = left.kind === "live" && left.success.state === "held" ? left.success : undefined;
  if (!hold) return outcome;
  if (outcome.kind === "declined") return { ...PENDING, holdStands: true as const };
  const released = await bank.void(request, hold.externalTransactionId);
  if (released.kind === "declined") return { ...outcome, holdStands: true as const };
  return released.kind === "approved" ? outcome : PENDING;
}

const AS_VOID = { asVoid: true } as const;

/** @returns the ways in the order in which they are tried; none where it is too early for a part. */
export function waysToRefund(
  request: Pick<FollowUpRequest, "amountMinor" | "target">,
  { isDayEnded, creditBeforeDayEnd }: { isDayEnded: boolean; creditBeforeDayEnd: boolean },
): readonly ("credit" | "void")[] {
  const isCreditFirst = isDayEnded || creditBeforeDayEnd;
  if (!isWhole(request)) return isCreditFirst ? ["credit"] : [];
  return isCreditFirst ? ["credit", "void"] : ["void", "credit"];
}

/**
 * A credit has a name of its own, not the name of the payment that it pays back. A whole refund may have been
 * a void on the business day whose answer was lost.
 */
async function credit(
  bank: NestpayBank,
  request: FollowUpRequest,
  amount: WrittenAmount,
): Promise<AcquirerOutcome | Settled> {
  const outcome = await bank.credit(request, amount);
  const isNew =
    outcome.kind !== "approved" || outcome.externalTransactionId !== request.target.externalTransactionId;
  if (!isNew) return MISMATCH;
  if (!isWhole(request) || !isRefused(outcome, NOTHING_TO_REFUND)) return outcome;
  const standing = await bank.standing(request);
  switch (standing.kind) {
    case "voided":
      return { ...approvedBy(standing.success, request), ...AS_VOID };
    case "unseen":
      return INVALID_ANSWER;
    case "unknown":
    case "not_sent":
      return standing;
    case "live":
      // The capture was voided, and its hold is valid again.
      return standing.success.state === "held" && request.target.capturedMinor
        ? voidWhole(bank, request)
        : outcome;
    case "settled":
    case "pending":
    case "several":
    case "none":
      return outcome;
    default:
      return standing satisfies never;
  }
}

function isWhole({ amountMinor, target }: Pick<FollowUpRequest, "amountMinor" | "target">): boolean {
  return amountMinor === (target.capturedMinor ?? target.amountMinor);
}

function dayNotEnded(notBefore: Date): NotSent {
  return { kind: "not_sent", reason: "day_not_ended", notBefore };
}

const DAY_NOT_ENDED = coreCodes("2508");

/** Nothing of the order is left to refund, as after a void. */
const NOTHING_TO_REFUND = coreCodes("2116 2117 2120 2123 2503 2504");
