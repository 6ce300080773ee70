import type { Account } from "./bank.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";

/**
 * Decides the first request under its reference: "00", or the code of the decline. `account` is the state of the
 * reference (a tombstone at most), `parent` that of its parent's reference.
 */
export function decideOperation(
  request: OperationRequest,
  account: Account | undefined,
  parent: Account | undefined,
): ResultCode {
  if (account?.reversal) return "reversed";
  switch (request.operation) {
    case "authorize":
    case "sale":
      return "00";
    case "capture":
    case "cancel":
    case "release":
    case "refund":
      return decideFollowUp(request.operation, request, parent);
    case "reverse":
      throw new Error("a reversal is decided by decideReversal");
    default:
      return request.operation satisfies never;
  }
}

/**
 * `conflict`: the reversal names another amount or currency than the operation it would reverse, and has no effect.
 * `settled`: the money has been paid out, and a refund is the only way back.
 */
export type ReversalDecision =
  | { kind: "reverse" }
  | { kind: "settled" }
  | { kind: "refuse"; resultCode: ResultCode }
  | { kind: "conflict" };

/** Decides a reversal. A reference without an operation is bound, so that no funds can be reserved under it later. */
export function decideReversal(request: OperationRequest, account: Account | undefined): ReversalDecision {
  // The tombstone comes before the entry: an operation that was declined under the reference may have named another
  // amount.
  const earlier = account?.reversal ?? account?.entry;
  if (!account || !earlier) return { kind: "reverse" };
  if (earlier.amountMinor !== request.amountMinor || earlier.currency !== request.currency)
    return { kind: "conflict" };
  if (account.settled) return { kind: "settled" };
  switch (earlier.operation) {
    case "reverse":
      return { kind: "reverse" };
    case "authorize":
      return account.capturedMinor > 0n ? { kind: "refuse", resultCode: "21" } : { kind: "reverse" };
    case "sale":
      return account.refundedMinor > 0n ? { kind: "refuse", resultCode: "21" } : { kind: "reverse" };
    case "capture":
    case "cancel":
    case "release":
    case "refund":
      return { kind: "refuse", resultCode: "21" };
    default:
      return earlier.operation satisfies never;
  }
}

function decideFollowUp(
  operation: "capture" | "cancel" | "release" | "refund",
  request: OperationRequest,
  parent: Account | undefined,
): ResultCode {
  const original = parent?.entry;
  if (!parent || !original || original.outcome === "declined" || original.parentReference !== null)
    return "25";
  if (parent.reversal || parent.cancelled) return "12";
  if (request.currency !== original.currency) return "13";

  const isUncaptured = original.operation === "authorize" && parent.capturedMinor === 0n;
  const leftMinor = original.amountMinor - parent.releasedMinor;
  switch (operation) {
    case "capture":
    case "release":
      if (!isUncaptured) return "12";
      return request.amountMinor <= leftMinor ? "00" : "13";
    case "cancel": {
      if (parent.settled) return "12";
      if (!isUncaptured && !(original.operation === "sale" && parent.refundedMinor === 0n)) return "12";
      const isWhole = request.amountMinor === original.amountMinor || request.amountMinor === leftMinor;
      return isWhole ? "00" : "13";
    }
    case "refund":
      if (parent.capturedMinor === 0n) return "12";
      return request.amountMinor <= parent.capturedMinor - parent.refundedMinor ? "00" : "13";
    default:
      return operation satisfies never;
  }
}
