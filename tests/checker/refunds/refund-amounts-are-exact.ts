import { minorUnits } from "../amount.ts";
import { readRecord, recordOf, type AnsweredRecord } from "../answers.ts";
import { isRefund, refundIdOf } from "../bank-lines.ts";
import type { Found, Ledgers, RefundRow } from "../ledgers.ts";

/**
 * Invariant 6, of refunds. The requested decimal number is the same amount in the refund's row, at the bank, in the
 * webhook, and in every answer.
 */
export function refundAmountsAreExact({ history, refunds, bank, outbox }: Ledgers): Found[] {
  const asked = Map.groupBy(
    history.flatMap(({ refund }) => refund ?? []),
    ({ paymentId }) => paymentId,
  );
  const shown = Map.groupBy(
    [...history.map(recordOf), ...outbox.map(({ body }) => readRecord(body))].filter(
      (record): record is AnsweredRecord => record !== undefined,
    ),
    ({ paymentId }) => paymentId,
  );
  const atBank = Map.groupBy(
    bank.filter(({ operation }) => isRefund(operation)),
    refundIdOf,
  );
  return refunds.flatMap((refund) => {
    const expected = written(refund);
    const sent = (asked.get(refund.paymentId) ?? []).map(inMinorUnits);
    const others = (shown.get(refund.refundId) ?? []).map(inMinorUnits);
    const paid = (atBank.get(refund.refundId) ?? []).map(written);
    const ids = [refund.refundId];
    return [
      // An operator's request is in no merchant's history.
      ...(refund.requestedBy !== null || sent.includes(expected) || history.length === 0
        ? []
        : [{ ids, what: `is ${expected}, which nobody asked for` }]),
      ...others
        .filter((amount) => amount !== expected)
        .map((amount) => ({ ids, what: `is ${expected} and was shown as ${amount}` })),
      ...paid
        .filter((amount) => amount !== expected)
        .map((amount) => ({ ids, what: `is ${expected}, at the bank ${amount}` })),
    ];
  });
}

function written({ amountMinor, currency }: Pick<RefundRow, "amountMinor" | "currency">): string {
  return `${amountMinor} ${currency}`;
}

function inMinorUnits({ amount, currency }: { amount: string; currency: string }): string {
  return `${minorUnits(amount, currency) ?? `(${amount})`} ${currency}`;
}
