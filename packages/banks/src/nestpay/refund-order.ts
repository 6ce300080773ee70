import type { AcquirerOutcome, FollowUpRequest, NotSent } from "@holdfast/acquirer";
import { businessDayEnd } from "@holdfast/acquirer";
import type { BusinessDay } from "@holdfast/acquirer";
import { approvedBy, declinedBy, INVALID_ANSWER, type RefusedVerdict } from "./answer-verdict.ts";
import { creditRequest } from "./build-request.ts";
import type { WrittenAmount } from "./nestpay-amount.ts";
import type { NestpayBank } from "./nestpay-bank.ts";
import { voidTargetOf } from "./void-target.ts";
import { voidTarget } from "./void-order.ts";

export type RefundTerms = { creditBeforeDayEnd: boolean; businessDay: BusinessDay; now: Date };

/**
 * Pays back. Until the end of its business day a sale can only be voided as a whole, and from then on only be credited,
 * in any parts. The bank's clock decides: each of the two is certainly refused on the other's day, so that the other
 * one is tried then.
 */
export async function refundOrder(
  bank: NestpayBank,
  request: FollowUpRequest,
  amount: WrittenAmount,
  terms: RefundTerms,
): Promise<AcquirerOutcome> {
  const dayEnd = businessDayEnd(request.target.at, terms.businessDay);
  const isDayEnded = terms.now >= dayEnd;
  const ways = waysToRefund(request, { ...terms, isDayEnded });
  for (const way of ways) {
    const outcome =
      way === "credit" ? await credit(bank, request, amount) : await refundByVoid(bank, request);
    if (outcome !== "other_day") return outcome;
  }
  return dayNotEnded(isDayEnded ? businessDayEnd(terms.now, terms.businessDay) : dayEnd);
}

/** @returns the ways in the order in which they are tried; none where it is too early for a part. */
export function waysToRefund(
  request: Pick<FollowUpRequest, "amountMinor" | "target">,
  { isDayEnded, creditBeforeDayEnd }: { isDayEnded: boolean; creditBeforeDayEnd: boolean },
): readonly ("credit" | "void")[] {
  const isCreditFirst = isDayEnded || creditBeforeDayEnd;
  if (!isWhole(request)) return isCreditFirst ? ["credit"] : [];
  return isCreditFirst ? ["credit", "void"] : ["void", "credit"];
}

async function credit(
  bank: NestpayBank,
  request: FollowUpRequest,
  amount: WrittenAmount,
): Promise<AcquirerOutcome | "other_day"> {
  const { orderId, waitUntil } = request;
  const verdict = await bank.order(creditRequest(bank.caller, orderId, amount), waitUntil, { orderId });
  if (verdict.kind === "approved") return approvedBy(verdict, request);
  if (verdict.kind !== "refused") return verdict;
  if (verdict.core === CORE_DAY_NOT_ENDED) return "other_day";
  return isWhole(request) ? afterRefusal(bank, request, verdict) : declinedBy(verdict);
}

/** A whole refund may have been a void on the day itself, of which the answer was lost. */
async function afterRefusal(
  bank: NestpayBank,
  { orderId, waitUntil, ...request }: FollowUpRequest,
  refusal: RefusedVerdict,
): Promise<AcquirerOutcome> {
  if (refusal.core === undefined || !NOTHING_TO_REFUND.has(refusal.core)) return declinedBy(refusal);
  const history = await bank.history(orderId, waitUntil);
  if (history.kind === "not_found") return INVALID_ANSWER;
  if (history.kind !== "found") return history;
  const target = voidTargetOf(history.rows);
  if (target.kind !== "voided") return declinedBy(refusal);
  const { transId, authCode = "", procReturnCode: resultCode } = target.row;
  return approvedBy({ kind: "approved", transId, authCode, resultCode, resultMessage: "" }, request);
}

async function refundByVoid(
  bank: NestpayBank,
  request: FollowUpRequest,
): Promise<AcquirerOutcome | "other_day"> {
  const outcome = await voidTarget(bank, request);
  return outcome.kind === "settled" ? "other_day" : outcome;
}

function isWhole({ amountMinor, target }: Pick<FollowUpRequest, "amountMinor" | "target">): boolean {
  return amountMinor === (target.capturedMinor ?? target.amountMinor);
}

function dayNotEnded(notBefore: Date): NotSent {
  return { kind: "not_sent", reason: "day_not_ended", notBefore };
}

const CORE_DAY_NOT_ENDED = 2508;

/** Nothing of the order is left to be refunded, as after a void. */
const NOTHING_TO_REFUND: ReadonlySet<number> = new Set([2116, 2117, 2120, 2123, 2503, 2504]);
