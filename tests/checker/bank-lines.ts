import type { BankLine } from "./ledgers.ts";

/** The payment of a line. Our references begin with the payment's id, or with the refund's. */
export function paymentIdOf({ operation, reference, parentReference }: BankLine): string {
  return idOf(isRefund(operation) ? (parentReference ?? "") : reference);
}

/** The refund that a line is about. */
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

/** Approved authorizations and sales, which reserve or capture money. */
export function approvals(lines: readonly BankLine[]): BankLine[] {
  return lines.filter(({ operation, outcome }) => isPayment(operation) && outcome === "approved");
}

/** The reference under which the checker has what the bank has carried out again of a payment. */
export function againOf(paymentId: string): string {
  return `${paymentId}:again`;
}

/** The approved operations of one kind at the bank. */
export function approvedOf(operation: string, lines: readonly BankLine[]): BankLine[] {
  return lines.filter((line) => line.operation === operation && line.outcome === "approved");
}

/** True for an operation that charges a card. */
export function isPayment(operation: string): boolean {
  return operation === "authorize" || operation === "sale";
}

/** True for an operation that gives money back, after a capture or sale or from a reservation. */
export function isRefund(operation: string): boolean {
  return operation === "refund" || operation === "release";
}

/**
 * A movement's reference without the number of a further try (`:2`, `:3`, …), which follows after the bank
 * called the previous one too late.
 */
export function movementOf({ reference }: BankLine): string {
  return reference.replace(/:(?:[2-9]|[1-9]\d+)$/, "");
}

/** True if the bank has refused a request as too late without judging it, which is no decline. */
export function isTooLate({ outcome, resultCode }: BankLine): boolean {
  return outcome === "declined" && resultCode === "expired_request";
}

/** True if the bank has judged a request and declined it. */
export function isDeclined(line: BankLine): boolean {
  return line.outcome === "declined" && !isTooLate(line);
}

/** True if the bank has judged a cancellation and declined it. */
export function isDeclinedCancellation(line: BankLine): boolean {
  return line.operation === "cancel" && isDeclined(line);
}

/** True for a refund that replaces a reversal, which the bank refuses once it has settled the money. */
export function isReversalRefund(line: BankLine): boolean {
  return line.operation === "refund" && movementOf(line) === `${line.parentReference}:reversal`;
}

/** True if all of a settled sale was given back by refunds in place of its reversal. */
export function isGivenBack(approval: BankLine, lines: readonly BankLine[]): boolean {
  const back = approvedOf("refund", lines)
    .filter((line) => isReversalRefund(line) && line.parentReference === approval.reference)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return back >= approval.amountMinor;
}

/** The requested amount, which exceeds the approved one after a partial approval. */
export function requestedMinor(line: BankLine): bigint {
  return line.requestedMinor ?? line.amountMinor;
}

/** True while an approval stands: not reversed, cancelled or given back, and not released to its whole amount. */
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

/** The released amount of an approval. */
function releasedMinor(approval: BankLine, approved: readonly BankLine[]): bigint {
  return approved
    .filter((line) => line.operation === "release" && line.parentReference === approval.reference)
    .reduce((sum, line) => sum + line.amountMinor, 0n);
}

/** True if an approval was released to its whole amount: the only way in which SUCCESS reserves nothing. */
export function isFullyReleased(approval: BankLine, lines: readonly BankLine[]): boolean {
  const approved = lines.filter(({ outcome }) => outcome === "approved");
  return releasedMinor(approval, approved) >= approval.amountMinor;
}

/** True if the bank has acknowledged a reversal for the payment, even of nothing. */
export function hasReversal(lines: readonly BankLine[]): boolean {
  return lines.some(({ operation, outcome }) => operation === "reverse" && outcome === "approved");
}
