import { isAfter, problemOf, readsByPayment, recordOf } from "../answers.ts";
import { approvals, linesByPayment } from "../bank-lines.ts";
import type { BankLine, Found, HistoryEntry, Ledgers, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 2. Every POST with no answer or a 5xx ends as nothing anywhere or as exactly one record, which is
 * settled or will be. A 503 and a request that never left end as nothing. A 504 names its payment, and a 404
 * about that payment is conclusive: the merchant pays again, so the bank may never have approved it.
 *
 * Payments of unanswered requests are recognised by their orderId, which the client generates for each order.
 */
export function unansweredLeavesNothingOrOne({ history, payments, bank }: Ledgers): Found[] {
  const posts = Map.groupBy(
    history.filter(({ order }) => order),
    ({ order }) => order?.orderId ?? "",
  );
  const rows = Map.groupBy(payments, ({ orderId }) => orderId);
  const reads = readsByPayment(history);
  const lines = linesByPayment(bank);
  const known = new Set(payments.map(({ paymentId }) => paymentId));
  return [
    ...[...posts].flatMap(([orderId, sent]) => unexplainedRows(orderId, sent, rows.get(orderId) ?? [])),
    ...history.flatMap((entry) => namedPayment(entry, { known, reads, lines })),
    ...payments.flatMap(abandoned),
  ];
}

function unexplainedRows(orderId: string, sent: HistoryEntry[], rows: PaymentRow[]): Found[] {
  const named = new Set(
    sent.flatMap((entry) => recordOf(entry)?.paymentId ?? problemOf(entry).paymentId ?? []),
  );
  const unexplained = rows.filter(({ paymentId }) => !named.has(paymentId));
  const unknown = sent.filter(mayHaveLeftOne).length;
  if (unexplained.length <= unknown) return [];
  return [
    {
      ids: [orderId, ...unexplained.map(({ paymentId }) => paymentId)],
      what: `${unexplained.length} payments that nobody was told of, and ${unknown} requests without an answer`,
    },
  ];
}

/** A 503 promises that nothing was started, and so does every 4xx; a 2xx and a 504 name their record. */
function mayHaveLeftOne(entry: HistoryEntry): boolean {
  if (entry.status === undefined) return entry.bytesSent;
  return entry.status === 500 || entry.status === 502;
}

type Elsewhere = {
  known: ReadonlySet<string>;
  reads: Map<string, HistoryEntry[]>;
  lines: Map<string, BankLine[]>;
};

function namedPayment(entry: HistoryEntry, { known, reads, lines }: Elsewhere): Found[] {
  const { paymentId } = problemOf(entry);
  // A refund request leaves a refund instead of a payment.
  if (entry.method !== "POST" || entry.refund || paymentId === undefined) return [];
  const atBank = lines.get(paymentId) ?? [];
  if (!known.has(paymentId)) {
    return atBank.length === 0 ? [] : [{ ids: [paymentId], what: "the bank knows it and no record does" }];
  }
  const wasToldMissing = (reads.get(paymentId) ?? []).some(
    (read) => read.merchantId === entry.merchantId && read.status === 404 && isAfter(entry, read),
  );
  if (!wasToldMissing || approvals(atBank).length === 0) return [];
  return [{ ids: [paymentId], what: "approved at the bank although a GET after the 504 said 404" }];
}

function abandoned(payment: PaymentRow): Found[] {
  if (!isUnsettled(payment) || payment.scheduled) return [];
  return [{ ids: [payment.paymentId], what: `is ${payment.state} and nobody is bound to look at it again` }];
}
