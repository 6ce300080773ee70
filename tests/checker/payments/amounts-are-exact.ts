import { minorUnits } from "../amount.ts";
import { checkoutOf, readRecord, recordOf } from "../answers.ts";
import { approvals, approvedOf, isPayment, linesByPayment, requestedMinor } from "../bank-lines.ts";
import type { BankLine, Found, HistoryEntry, Ledgers, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 6. The decimal number the merchant wrote is the same amount in the payment's row, at the bank, in the
 * webhook, and in every answer. A reversal is of the amount that the bank approved.
 */
export function amountsAreExact(ledgers: Ledgers): Found[] {
  const sent = amountsByOrder(ledgers.history);
  const shown = amountsShown(ledgers);
  const lines = linesByPayment(ledgers.bank);
  return ledgers.payments.flatMap((payment) => {
    const ids = [payment.paymentId];
    const isAsked = sent.get(payment.orderId)?.has(written(payment)) ?? false;
    const others = (shown.get(payment.paymentId) ?? []).filter((amount) => amount !== written(payment));
    const ofPayment = lines.get(payment.paymentId) ?? [];
    const captures = isUnsettled(payment) ? [] : approvedOf("capture", ofPayment);
    const atBank = amountsAtBank(payment, ofPayment).filter((amount) => amount !== written(payment));
    return [
      ...(isAsked ? [] : [{ ids, what: `holds ${written(payment)}, which nobody asked for` }]),
      ...others.map((amount) => ({ ids, what: `holds ${written(payment)} and was shown as ${amount}` })),
      ...atBank.map((amount) => ({ ids, what: `holds ${written(payment)}, at the bank ${amount}` })),
      ...captures
        .filter(({ amountMinor }) => amountMinor !== payment.capturedMinor)
        .map((line) => ({ ids, what: `captured ${payment.capturedMinor}, at the bank ${written(line)}` })),
    ];
  });
}

/** The amounts in the bank's requests. A reversal of exactly a partial approval counts as the whole. */
function amountsAtBank({ amountMinor }: PaymentRow, lines: BankLine[]): string[] {
  const parts = approvals(lines).filter((line) => requestedMinor(line) !== line.amountMinor);
  const isOfPart = (line: BankLine) =>
    parts.some((part) => part.reference === line.reference && part.amountMinor === line.amountMinor);
  return lines
    .filter(({ operation }) => isPayment(operation) || operation === "reverse")
    .map((line) => {
      const asked = line.operation === "reverse" && isOfPart(line) ? amountMinor : requestedMinor(line);
      return written({ amountMinor: asked, currency: line.currency });
    });
}

function written({ amountMinor, currency }: Pick<PaymentRow, "amountMinor" | "currency">): string {
  return `${amountMinor} ${currency}`;
}

function amountsByOrder(history: readonly HistoryEntry[]): Map<string, Set<string>> {
  const amounts = new Map<string, Set<string>>();
  for (const { order, checkout } of history) {
    const asked = order ?? checkout;
    if (!asked) continue;
    const known = amounts.get(asked.orderId) ?? new Set();
    amounts.set(asked.orderId, known.add(inMinorUnits(asked)));
  }
  return amounts;
}

/** The amounts of each payment in answers and webhooks. */
function amountsShown({ history, outbox }: Ledgers): Map<string, string[]> {
  const records = [
    ...history.flatMap((entry) => [recordOf(entry), checkoutOf(entry)?.payment]),
    ...outbox.map(({ body }) => readRecord(body)),
  ];
  const amounts = new Map<string, string[]>();
  for (const record of records) {
    if (!record) continue;
    amounts.set(record.paymentId, [...(amounts.get(record.paymentId) ?? []), inMinorUnits(record)]);
  }
  return amounts;
}

function inMinorUnits({ amount, currency }: { amount: string; currency: string }): string {
  return `${minorUnits(amount, currency) ?? `(${amount})`} ${currency}`;
}
