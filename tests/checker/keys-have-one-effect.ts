import { isAfter, problemOf, recordOf } from "./answers.ts";
import { isPayment, paymentIdOf } from "./bank-lines.ts";
import type { HistoryEntry, Ledgers, Violation } from "./ledgers.ts";

type Found = Omit<Violation, "invariant">;

/**
 * Invariant 7. Under one merchant's Idempotency-Key there is at most one payment and one call of the bank; all final
 * answers are the same bytes; another request under it is refused with 422, and once a final answer has arrived a
 * repetition is answered with it.
 */
export function keysHaveOneEffect(ledgers: Ledgers): Found[] {
  const uses = Map.groupBy(
    ledgers.history.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    // The same key on another path is another key.
    ({ merchantId, path, idempotencyKey }) => `${merchantId} ${path} ${idempotencyKey}`,
  );
  return [...uses].flatMap(([scopedKey, sent]) => {
    const key = scopedKey.split(" ")[2] ?? "";
    return [
      ...effects(key, sent, ledgers),
      ...differentAnswers(key, sent),
      ...answersToOtherRequests(key, sent),
      ...answersAfterTheEnd(key, sent),
    ];
  });
}

function effects(key: string, sent: HistoryEntry[], { payments, bank }: Ledgers): Found[] {
  const orders = new Set(sent.map(({ order }) => order?.orderId));
  const made = payments.filter(({ orderId }) => orders.has(orderId)).map(({ paymentId }) => paymentId);
  const asked = new Set(
    bank.filter((line) => isPayment(line.operation) && made.includes(paymentIdOf(line))).map(paymentIdOf),
  );
  return [
    ...(made.length > 1 ? [{ ids: [key, ...made], what: `${made.length} payments under one key` }] : []),
    ...(asked.size > 1 ? [{ ids: [key, ...asked], what: `the bank was asked ${asked.size} times` }] : []),
  ];
}

function differentAnswers(key: string, sent: HistoryEntry[]): Found[] {
  const bodies = new Set(sent.filter(isFinalAnswer).map(({ body }) => body));
  if (bodies.size <= 1) return [];
  return [{ ids: [key, ...paymentsOf(sent)], what: `${bodies.size} different final answers under one key` }];
}

/** Only one request can have had the key: whatever differs from it is refused, and it itself never is. */
function answersToOtherRequests(key: string, sent: HistoryEntry[]): Found[] {
  const accepted = new Set(sent.filter((entry) => recordOf(entry)).map(requestOf));
  const refused = sent.filter((entry) => problemOf(entry).code === "idempotency_key_reused").map(requestOf);
  return [
    ...(accepted.size > 1
      ? [{ ids: [key], what: "two different requests were accepted under one key" }]
      : []),
    ...(refused.some((request) => accepted.has(request))
      ? [{ ids: [key], what: "a repetition was refused as another request" }]
      : []),
  ];
}

function answersAfterTheEnd(key: string, sent: HistoryEntry[]): Found[] {
  const [end] = sent.filter(isFinalAnswer).toSorted((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
  if (!end) return [];
  const wrong = sent.filter((entry) => {
    if (!isAfter(end, entry) || entry.status === undefined || entry.status >= 500) return false;
    return requestOf(entry) === requestOf(end) ? !isFinalAnswer(entry) : entry.status !== 422;
  });
  return wrong.map(({ status }) => ({ ids: [key], what: `answered ${status} after its final answer` }));
}

function isFinalAnswer(entry: HistoryEntry): boolean {
  return entry.status !== 202 && recordOf(entry) !== undefined;
}

function requestOf({ order, operation }: HistoryEntry): string {
  return JSON.stringify(order ?? operation);
}

function paymentsOf(sent: HistoryEntry[]): string[] {
  return [...new Set(sent.flatMap((entry) => recordOf(entry)?.paymentId ?? []))];
}
