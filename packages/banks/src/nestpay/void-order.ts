import type { AcquirerOutcome, FollowUpRequest, NotSent, Unknown } from "@holdfast/acquirer";
import {
  approvedBy,
  declinedBy,
  INVALID_ANSWER,
  MISMATCH,
  type ApprovedVerdict,
  type RefusedVerdict,
} from "./answer-verdict.ts";
import { voidRequest } from "./build-request.ts";
import type { NestpayBank } from "./nestpay-bank.ts";
import { voidTargetOf, type VoidTarget } from "./void-target.ts";

/** Its business day is over: only a refund gives the money back. */
export type Settled = { kind: "settled"; resultCode: string; resultMessage: string };

/** The state of an order's success after a void of it. */
export type VoidOutcome =
  | (Omit<ApprovedVerdict, "kind"> & { kind: "voided" })
  | Settled
  | RefusedVerdict
  /** The bank knows no success of the order. */
  | { kind: "none" }
  | Unknown
  | NotSent;

/**
 * Voids the success of an order, by the name that the bank gave it and by no other way: without it the bank voids the
 * last movement, and gives a cardholder's refund back to the merchant. Where the name is not known, the history has it.
 */
export async function voidOrder(
  bank: NestpayBank,
  order: { orderId: string; transId?: string | undefined; until: Date },
): Promise<VoidOutcome> {
  if (order.transId !== undefined) return voidByName(bank, order, order.transId);
  const target = await askVoidTarget(bank, order);
  if (target.kind !== "live") return outcomeOf(target);
  return voidByName(bank, order, target.row.transId);
}

/** Voids the target of a cancel or a refund. */
export async function voidTarget(
  bank: NestpayBank,
  request: FollowUpRequest,
): Promise<AcquirerOutcome | Settled> {
  const { orderId, target, waitUntil: until } = request;
  // A capture has a name of its own, which may not be the one that is known.
  const transId = target.capturedMinor === undefined ? target.externalTransactionId : undefined;
  const outcome = await voidOrder(bank, { orderId, until, transId });
  switch (outcome.kind) {
    case "voided":
      return approvedBy({ ...outcome, kind: "approved" }, request);
    case "refused":
      return declinedBy(outcome);
    // The request's target was approved: a bank that knows no success of the order proves nothing.
    case "none":
      return INVALID_ANSWER;
    case "settled":
    case "unknown":
    case "not_sent":
      return outcome;
    default:
      return outcome satisfies never;
  }
}

async function voidByName(
  bank: NestpayBank,
  order: { orderId: string; until: Date },
  transId: string,
): Promise<VoidOutcome> {
  const { orderId, until } = order;
  const verdict = await bank.order(voidRequest(bank.caller, orderId, transId), until, { orderId });
  switch (verdict.kind) {
    case "approved":
      // A void's answer has the name of the voided movement.
      return verdict.transId === transId ? { ...verdict, kind: "voided" } : MISMATCH;
    case "refused":
      return afterRefusal(bank, { ...order, transId }, verdict);
    case "unknown":
    case "not_sent":
      return verdict;
    default:
      return verdict satisfies never;
  }
}

/** A void whose answer was lost is refused when it is repeated, and so is one after the day's end. */
async function afterRefusal(
  bank: NestpayBank,
  order: { orderId: string; transId: string; until: Date },
  refusal: RefusedVerdict,
): Promise<VoidOutcome> {
  if (refusal.core === undefined || !NOTHING_TO_VOID.has(refusal.core)) return refusal;
  const target = await askVoidTarget(bank, order);
  const { resultCode, resultMessage } = refusal;
  switch (target.kind) {
    case "settled":
      return { kind: "settled", resultCode, resultMessage };
    // The history may be a moment behind, and the refusal itself says that the day is over.
    case "live":
      return refusal.core === CORE_SETTLED ? { kind: "settled", resultCode, resultMessage } : refusal;
    case "none":
      return refusal;
    default:
      return outcomeOf(target);
  }
}

type Asked = VoidTarget | Unknown | NotSent;

async function askVoidTarget(
  bank: NestpayBank,
  { orderId, transId, until }: { orderId: string; transId?: string | undefined; until: Date },
): Promise<Asked> {
  const history = await bank.history(orderId, until);
  if (history.kind === "not_found") return { kind: "none" };
  return history.kind === "found" ? voidTargetOf(history.rows, transId) : history;
}

function outcomeOf(target: Asked): VoidOutcome {
  switch (target.kind) {
    case "voided": {
      const { transId, authCode = "", procReturnCode: resultCode } = target.row;
      return { kind: "voided", transId, authCode, resultCode, resultMessage: "" };
    }
    case "settled":
      return { kind: "settled", resultCode: `CORE-${CORE_SETTLED}`, resultMessage: "" };
    case "pending":
      return { kind: "unknown", reason: "pending" };
    case "several":
      return MISMATCH;
    case "live":
      return INVALID_ANSWER;
    case "none":
      return { kind: "none" };
    case "unknown":
    case "not_sent":
      return target;
    default:
      return target satisfies never;
  }
}

/** Nothing there to void: unknown (2008), no success (2116, 2120), or settled (2511). */
const NOTHING_TO_VOID: ReadonlySet<number> = new Set([2008, 2116, 2120, 2511]);
const CORE_SETTLED = 2511;
