import { isAfter, problemOf, readsByPayment, recordOf } from "../answers.ts";
import type { Found, HistoryEntry, Ledgers, RefundRow } from "../ledgers.ts";

/**
 * Invariant 2, for refunds. A refund request with no answer or a 5xx ends as no refund or as exactly one,
 * however often it is repeated under a key. A 503 and a 4xx end as none. A 504 names its refund, and a later
 * 404 about that refund is conclusive: the merchant requests again, so the first one must never have been
 * accepted.
 */
export function unansweredRefundsLeaveNothingOrOne({ history, refunds }: Ledgers): Found[] {
  const asked = history.filter(({ refund }) => refund);
  const named = new Set(
    asked.flatMap((entry) => recordOf(entry)?.paymentId ?? problemOf(entry).paymentId ?? []),
  );
  const accepted = refunds.filter(({ state, requestedBy }) => state !== "RESERVING" && requestedBy === null);
  const unexplained = Map.groupBy(
    accepted.filter(({ refundId }) => !named.has(refundId)),
    ({ paymentId }) => paymentId,
  );
  const sentByPayment = Map.groupBy(asked, ({ refund }) => refund?.paymentId ?? "");
  return [
    ...[...unexplained].flatMap(([paymentId, rows]) =>
      tooMany(paymentId, rows, sentByPayment.get(paymentId) ?? []),
    ),
    ...existAfterAll(asked, history, accepted),
    ...refunds
      .filter(({ state, scheduled }) => !AT_REST.has(state) && !scheduled)
      .map(({ refundId, state }) => ({
        ids: [refundId],
        what: `is ${state} and nobody is bound to look at it again`,
      })),
  ];
}

function tooMany(paymentId: string, rows: RefundRow[], sent: HistoryEntry[]): Found[] {
  const requests = Map.groupBy(sent, ({ idempotencyKey, sequence }) => idempotencyKey ?? `${sequence}`);
  const unknown = [...requests.values()].filter(
    (copies) => copies.some(mayHaveLeftOne) && !copies.some((copy) => recordOf(copy)),
  ).length;
  if (rows.length <= unknown) return [];
  return [
    {
      ids: [paymentId, ...rows.map(({ refundId }) => refundId)],
      what: `${rows.length} refunds no answer has named, and ${unknown} requests without an answer`,
    },
  ];
}

function mayHaveLeftOne({ status, bytesSent }: HistoryEntry): boolean {
  return status === undefined ? bytesSent : status === 500 || status === 502 || status === 504;
}

function existAfterAll(asked: HistoryEntry[], history: HistoryEntry[], accepted: RefundRow[]): Found[] {
  const rows = new Set(accepted.map(({ refundId }) => refundId));
  const reads = readsByPayment(history);
  return asked.flatMap((entry) => {
    const { paymentId: refundId } = problemOf(entry);
    if (refundId === undefined || !rows.has(refundId)) return [];
    const missed = (reads.get(refundId) ?? []).some(
      (read) => read.merchantId === entry.merchantId && read.status === 404 && isAfter(entry, read),
    );
    return missed ? [{ ids: [refundId], what: "exists although a GET after the 504 said 404" }] : [];
  });
}

const AT_REST: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "SUCCESS", "FAILED", "REJECTED"]);
