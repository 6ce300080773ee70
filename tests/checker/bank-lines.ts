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

/** Whether an approval still stands: not reversed, not cancelled, not released to its whole amount. */
export function isLive(approval: BankLine, lines: readonly BankLine[]): boolean {
  const approved = lines.filter(({ outcome }) => outcome === "approved");
  const follows = (line: BankLine) => line.parentReference === approval.reference;
  const isReversed = approved.some(
    ({ operation, reference }) => operation === "reverse" && reference === approval.reference,
  );
  const isCancelled = approved.some((line) => line.operation === "cancel" && follows(line));
  return !isReversed && !isCancelled && releasedMinor(approval, approved) < approval.amountMinor;
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
