import type { BankLine } from "./ledgers.ts";

/** Our references begin with the id of the payment they are about, or with that of the refund. */
export function paymentIdOf({ operation, reference, parentReference }: BankLine): string {
  return idOf(isRefund(operation) ? (parentReference ?? "") : reference);
}

/** Of a line that is about a refund. */
export function refundIdOf({ reference }: BankLine): string {
  return idOf(reference);
}

function idOf(reference: string): string {
  return reference.slice(0, UUID_LENGTH);
}

const UUID_LENGTH = 36;

/** The bank's lines of each payment, in the bank's order. */
export function linesByPayment(bank: readonly BankLine[]): Map<string, BankLine[]> {
  return Map.groupBy(bank, paymentIdOf);
}

/** Approved authorizations and sales: what reserves or takes money. */
export function approvals(lines: readonly BankLine[]): BankLine[] {
  return lines.filter(({ operation, outcome }) => isPayment(operation) && outcome === "approved");
}

/** What the bank did of one kind. */
export function approvedOf(operation: string, lines: readonly BankLine[]): BankLine[] {
  return lines.filter((line) => line.operation === operation && line.outcome === "approved");
}

/** Whether an operation is one that a card pays by. */
export function isPayment(operation: string): boolean {
  return operation === "authorize" || operation === "sale";
}

/** Whether an operation gives money back: what was captured or sold, or what was only reserved. */
export function isRefund(operation: string): boolean {
  return operation === "refund" || operation === "release";
}

/**
 * A movement's reference without the number of a further try (`:2`, `:3`, …), which it gets where the bank has called the
 * one before too late.
 */
export function movementOf({ reference }: BankLine): string {
  return reference.replace(/:(?:[2-9]|[1-9]\d+)$/, "");
}

/** Whether the bank has refused a request as too late without judging it, which is no decline. */
export function isTooLate({ outcome, resultCode }: BankLine): boolean {
  return outcome === "declined" && resultCode === "expired_request";
}

/** Whether the bank has judged a request and declined it. */
export function isDeclined(line: BankLine): boolean {
  return line.outcome === "declined" && !isTooLate(line);
}

/** Whether a refund stands in for a reversal, which the bank refuses once it has settled the money. */
export function isReversalRefund(line: BankLine): boolean {
  return line.operation === "refund" && movementOf(line) === `${line.parentReference}:reversal`;
}

/** Whether all of a settled sale was given back by refunds in place of its reversal. */
export function isGivenBack(approval: BankLine, lines: readonly BankLine[]): boolean {
  const back = approvedOf("refund", lines)
    .filter((line) => isReversalRefund(line) && line.parentReference === approval.reference)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return back >= approval.amountMinor;
}

/** What was asked for, which is more than what the bank approved in part. */
export function requestedMinor(line: BankLine): bigint {
  return line.requestedMinor ?? line.amountMinor;
}

/** Whether an approval still stands: not reversed, cancelled or given back, and not released to its whole amount. */
export function isLive(approval: BankLine, lines: readonly BankLine[]): boolean {
  const approved = lines.filter(({ outcome }) => outcome === "approved");
  const follows = (line: BankLine) => line.parentReference === approval.reference;
  const isReversed = approved.some(
    ({ operation, reference }) => operation === "reverse" && reference === approval.reference,
  );
  const isCancelled = approved.some((line) => line.operation === "cancel" && follows(line));
  const isReleased = releasedMinor(approval, approved) >= approval.amountMinor;
  return !isReversed && !isCancelled && !isReleased && !isGivenBack(approval, approved);
}

/** What was released of an approval. */
function releasedMinor(approval: BankLine, approved: readonly BankLine[]): bigint {
  return approved
    .filter((line) => line.operation === "release" && line.parentReference === approval.reference)
    .reduce((sum, line) => sum + line.amountMinor, 0n);
}

/** Whether an approval was given back to its whole amount by releases: the one way in which SUCCESS holds nothing. */
export function isFullyReleased(approval: BankLine, lines: readonly BankLine[]): boolean {
  const approved = lines.filter(({ outcome }) => outcome === "approved");
  return releasedMinor(approval, approved) >= approval.amountMinor;
}

/** Whether the bank has acknowledged a reversal for the payment, of something or of nothing. */
export function hasReversal(lines: readonly BankLine[]): boolean {
  return lines.some(({ operation, outcome }) => operation === "reverse" && outcome === "approved");
}
