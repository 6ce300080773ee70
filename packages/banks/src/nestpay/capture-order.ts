import type { AcquirerOutcome, FollowUpRequest } from "@holdfast/acquirer";
import { approvedBy, declinedBy, INVALID_ANSWER, MISMATCH, type RefusedVerdict } from "./answer-verdict.ts";
import { captureRequest } from "./build-request.ts";
import type { WrittenAmount } from "./nestpay-amount.ts";
import type { NestpayBank } from "./nestpay-bank.ts";
import { voidTargetOf } from "./void-target.ts";

/** Captures all or a part, once. A second capture is refused, and then the history shows the first one. */
export async function captureOrder(
  bank: NestpayBank,
  request: FollowUpRequest,
  amount: WrittenAmount,
): Promise<AcquirerOutcome> {
  const { orderId, waitUntil } = request;
  const verdict = await bank.order(captureRequest(bank.caller, orderId, amount), waitUntil, { orderId });
  switch (verdict.kind) {
    case "approved":
      return approvedBy(verdict, request);
    case "refused":
      return verdict.core !== undefined && NOTHING_TO_CAPTURE.has(verdict.core)
        ? afterRefusal(bank, request, verdict)
        : declinedBy(verdict);
    case "unknown":
    case "not_sent":
      return verdict;
    default:
      return verdict satisfies never;
  }
}

async function afterRefusal(
  bank: NestpayBank,
  request: FollowUpRequest,
  refusal: RefusedVerdict,
): Promise<AcquirerOutcome> {
  const history = await bank.history(request.orderId, request.waitUntil);
  if (history.kind === "not_found") return INVALID_ANSWER;
  if (history.kind !== "found") return history;
  const target = voidTargetOf(history.rows);
  switch (target.kind) {
    case "several":
      return MISMATCH;
    case "pending":
      return { kind: "unknown", reason: "pending" };
    case "voided":
    case "none":
      return declinedBy(refusal);
    case "live":
    case "settled": {
      const { row } = target;
      if (row.state === "A") return declinedBy(refusal);
      if ((row.capturedMinor ?? row.amountMinor) !== request.amountMinor) return MISMATCH;
      const { transId, authCode = "", procReturnCode: resultCode } = row;
      return approvedBy({ kind: "approved", transId, authCode, resultCode, resultMessage: "" }, request);
    }
    default:
      return target satisfies never;
  }
}

/** No authorization that waits for a capture: of another kind (2115), captured (2506), or none at all (2509). */
const NOTHING_TO_CAPTURE: ReadonlySet<number> = new Set([2115, 2506, 2509]);
