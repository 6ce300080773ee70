import { againOf, isRefund, paymentIdOf, refundIdOf } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentRow, RefundRow } from "../ledgers.ts";

/**
 * Invariant 29. For each merchant and currency the bank's sum equals our rows': charged and not reversed or
 * voided, minus refunds.
 */
export function moneyIsConserved({ bank, payments, refunds }: Ledgers): Found[] {
  const owners = new Map([
    ...payments.map(({ paymentId, merchantId }) => [paymentId, merchantId] as const),
    ...refunds.map(({ refundId, merchantId }) => [refundId, merchantId] as const),
  ]);
  const theirs = new Sums();
  const undone = undoneBy(bank);
  for (const line of bank) {
    if (line.outcome !== "approved" || undone.has(line.reference) || isOfAgain(line)) continue;
    const owner = owners.get(isRefund(line.operation) ? refundIdOf(line) : paymentIdOf(line));
    theirs.add(`${owner} ${line.currency}`, signOf(line) * line.amountMinor);
  }
  const ours = new Sums();
  for (const payment of payments) ours.add(`${payment.merchantId} ${payment.currency}`, takenBy(payment));
  for (const refund of refunds) ours.add(`${refund.merchantId} ${refund.currency}`, -paidBackBy(refund));
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((key) => {
    const [there, here] = [theirs.of(key), ours.of(key)];
    return there === here ? [] : [{ ids: [key], what: `the bank has ${there}, we have ${here}` }];
  });
}

/** A second success is judged by itself (invariant 45). */
function isOfAgain(line: BankLine): boolean {
  const { parentReference, uncalled } = line;
  const isPanels = uncalled === "panel" && parentReference === againOf(paymentIdOf(line));
  return uncalled === "again" || isPanels;
}

class Sums {
  readonly #sums = new Map<string, bigint>();
  add(key: string, amount: bigint): void {
    this.#sums.set(key, this.of(key) + amount);
  }
  of(key: string): bigint {
    return this.#sums.get(key) ?? 0n;
  }
  keys(): Iterable<string> {
    return this.#sums.keys();
  }
}

/** References of operations that were reversed, or voided by a cancellation. */
function undoneBy(bank: readonly BankLine[]): Set<string> {
  return new Set(
    bank.flatMap(({ operation, reference, parentReference, outcome }) => {
      if (outcome !== "approved") return [];
      if (operation === "reverse") return [reference];
      return operation === "cancel" && parentReference !== null ? [parentReference] : [];
    }),
  );
}

function signOf({ operation }: BankLine): bigint {
  if (operation === "sale" || operation === "capture") return 1n;
  return operation === "refund" ? -1n : 0n;
}

function takenBy({ transactionType, state, amountMinor, capturedMinor }: PaymentRow): bigint {
  if (state === "CAPTURED") return capturedMinor;
  return transactionType === "PAYMENT" && state === "SUCCESS" ? amountMinor : 0n;
}

function paidBackBy({ state, kind, amountMinor }: RefundRow): bigint {
  return (state === "SUCCESS" || state === "SETTLING") && kind === "refund" ? amountMinor : 0n;
}
