import { expect, test } from "vitest";

import { Book } from "../../core/index.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { operationNames, type OperationRequest } from "./operation-request.ts";
import { codeOf, decideReversal } from "./rules.ts";

/** A step by its operation and, unless they are 100 EUR of `p`, its amount, currency and original. */
function requestOf(text: string): OperationRequest {
  const [word = "", amount = "100", currency = "EUR", original = "p"] = text.split(" ");
  const operation = operationNames.find((name) => name === word)!;
  const isFirst = operation === "authorize" || operation === "sale";
  const isReversal = operation === "reverse";
  const reference = isFirst ? "p" : isReversal ? original : operation;
  const parentReference = isFirst || isReversal ? null : original;
  const request = { operation, reference, parentReference, amountMinor: BigInt(amount), currency };
  return { ...request, pan: null, expiresAtMs: undefined };
}

function lineOf(request: OperationRequest, resultCode: Entry["resultCode"]): Entry {
  const { operation, reference, amountMinor, currency } = request;
  const isOfOriginal = operation === "reverse" && resultCode === "00";
  return {
    at: "2026-01-01T00:00:00.000Z",
    operation,
    reference,
    parentReference: isOfOriginal ? reference : request.parentReference,
    amountMinor: Number(amountMinor),
    currency,
    outcome: resultCode === "00" ? "approved" : "declined",
    externalTransactionId: "t",
    pan: null,
    authCode: null,
    resultCode,
  };
}

/** Judges steps one after another, and returns the last one's code. A reversal of nothing leaves a tombstone. */
function judge(steps: string): string {
  const book = new Book<Entry>(postingOf);
  let code = "";
  for (const step of steps.split(", ")) {
    if (step === "day") {
      book.endDay(0);
      continue;
    }
    const [text, forced] = step.split(" declined");
    const request = requestOf(text!);
    const isReversal = request.operation === "reverse";
    code = isReversal ? decideReversal(book, request, 0) : codeOf(book, request, 0);
    if (isReversal && code !== "00") continue;
    const isKnown = book.named("", request.reference)?.isApproved === true;
    const line = lineOf(request, forced === undefined ? (code as Entry["resultCode"]) : "05");
    book.apply(isReversal && !isKnown ? { ...line, parentReference: null } : line);
  }
  return code;
}

test.each<[steps: string, code: string]>([
  ["authorize, refund", "12"],
  ["authorize, capture", "00"],
  ["authorize, capture 101", "13"],
  ["authorize, capture 100 USD", "13"],
  ["authorize, capture 100 EUR another", "25"],
  ["authorize declined, capture", "25"],
  ["authorize, capture 60, capture 40", "12"],
  ["authorize, capture 60, release 40", "12"],
  ["authorize, release 40, capture 61", "13"],
  ["authorize, release 40, capture 60", "00"],
  ["authorize, cancel 99", "13"],
  ["authorize, release 40, cancel 60", "00"],
  ["authorize, capture, cancel", "12"],
  ["authorize, cancel, capture", "12"],
  ["authorize, reverse, capture", "12"],
  ["authorize, capture 60, refund 61", "13"],
  ["authorize, day, capture", "00"],
  ["sale, capture", "12"],
  ["sale, release", "12"],
  ["sale, refund 101", "13"],
  ["sale, refund 60, refund 41", "13"],
  ["sale, refund 60, refund 40", "00"],
  ["sale, refund 100 EUR, refund 1 EUR refund", "25"],
  ["sale, refund 1, cancel", "12"],
  ["sale, cancel, refund", "12"],
  ["sale, day, cancel", "12"],
  ["sale, day, refund", "00"],
  // A reversal.
  ["authorize, reverse", "00"],
  ["authorize, reverse, reverse", "00"],
  ["authorize, reverse 99", "conflict"],
  ["authorize, reverse 100 USD", "conflict"],
  ["authorize, day, reverse", "00"],
  ["authorize, capture, reverse", "21"],
  ["authorize, capture, day, reverse", "settled"],
  ["sale, reverse", "00"],
  ["sale, cancel, day, reverse", "00"],
  ["sale, reverse, day, reverse", "00"],
  ["sale, refund 1, reverse", "21"],
  ["sale, refund 1, reverse 1 EUR refund", "21"],
  ["authorize, capture, reverse 100 EUR capture", "21"],
  ["sale, day, reverse", "settled"],
  ["sale, day, refund 1, reverse", "settled"],
  ["sale, day, reverse 99", "conflict"],
  ["sale declined, reverse", "00"],
  // A reference that a reversal has bound.
  ["reverse, authorize", "reversed"],
  ["reverse, authorize 55, reverse", "00"],
  ["reverse, reverse 55", "conflict"],
])("the last of %s is judged %s", (steps, code) => {
  expect(judge(steps)).toBe(code);
});
