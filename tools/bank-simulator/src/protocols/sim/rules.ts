import { verdictOf, when, type Book, type Case, type Named, type Rule } from "../../core/index.ts";
import { MERCHANT, type Entry } from "./ledger-line.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";

type FollowUp = "capture" | "cancel" | "release" | "refund";
type Rules<Verdict> = readonly Rule<Case<unknown>, Verdict>[];

const everyFollowUp: Rules<ResultCode> = [
  [when.namesNoApprovedPayment, "25"],
  [when.isVoided, "12"],
  [when.isOtherCurrency, "13"],
];
const ofOpenHold: Rules<ResultCode> = [
  ...everyFollowUp,
  [when.not(when.isOpenHold), "12"],
  [when.isOverHold(), "13"],
];
const refundedSale = when.all(when.isSale, when.isRefunded);

/** The rules of life of this bank's payments, as `README.md` has them. */
export const rules: Record<FollowUp | "reverse", Rules<ResultCode>> = {
  capture: ofOpenHold,
  release: ofOpenHold,
  cancel: [
    ...everyFollowUp,
    [when.isSettled, "12"],
    [when.isCapturedHold, "12"],
    [refundedSale, "12"],
    [when.isPart, "13"],
  ],
  refund: [...everyFollowUp, [when.isUncaptured, "12"], [when.isOverNet, "13"]],
  // A declined payment is no hindrance: a reversal binds its reference.
  reverse: [
    [when.namesNoPayment, "21"],
    [when.isSettled, "settled"],
    [when.isCapturedHold, "21"],
    [refundedSale, "21"],
  ],
};

/** Decides a call that is the first under its reference: "00", or the code of the decline. */
export function codeOf(book: Book<Entry>, request: OperationRequest, nowMs: number): ResultCode {
  const { operation, reference, parentReference } = request;
  if (book.named(MERCHANT, reference)?.reversal) return "reversed";
  switch (operation) {
    case "authorize":
    case "sale":
      return "00";
    case "capture":
    case "cancel":
    case "release":
    case "refund":
      return verdictOf(rules[operation], caseOf(book, request, parentReference ?? "", nowMs)) ?? "00";
    case "reverse":
      throw new Error("a reversal is decided by decideReversal");
    default:
      return operation satisfies never;
  }
}

/**
 * Decides a reversal: "00", or the code of the refusal. `conflict`: it names another amount or currency than the operation
 * it would reverse, and has no effect. A reference without an operation is bound, so that no funds can be reserved under
 * it later.
 */
export function decideReversal(
  book: Book<Entry>,
  request: OperationRequest,
  nowMs: number,
): ResultCode | "conflict" {
  const named = book.named(MERCHANT, request.reference);
  // The tombstone comes before the line: an operation that was declined under the reference may have named another
  // amount.
  const earlier = named?.reversal ?? named?.line;
  if (!earlier) return "00";
  if (BigInt(earlier.amountMinor) !== request.amountMinor || earlier.currency !== request.currency)
    return "conflict";
  if (earlier.operation === "reverse") return "00";
  return verdictOf(rules.reverse, caseOf(book, request, request.reference, nowMs)) ?? "00";
}

/** True if a request is a repeat of the one that the line is about. */
export function isSameRequest(line: NonNullable<Named<Entry>["line"]>, request: OperationRequest): boolean {
  return (
    line.operation === request.operation &&
    BigInt(line.requestedMinor ?? line.amountMinor) === request.amountMinor &&
    line.currency === request.currency &&
    line.parentReference === request.parentReference
  );
}

function caseOf(
  book: Book<Entry>,
  { amountMinor, currency }: OperationRequest,
  id: string,
  nowMs: number,
): Case<Entry> {
  const named = book.named(MERCHANT, id);
  return { order: named?.order, row: named?.row, id, amountMinor, currency, day: book.day, nowMs };
}
