import { isAfter, problemOf, recordOf } from "../answers.ts";
import { isPayment, paymentIdOf } from "../bank-lines.ts";
import type { Found, HistoryEntry, Ledgers, PaymentRow } from "../ledgers.ts";

/**
 * Invariant 7. Under one merchant's Idempotency-Key there is at most one payment or refund, and one call to
 * the bank. All final answers are the same bytes, except for a challenge's form, which is there only while
 * there is a challenge (docs/adr/0015). Another request under the key is refused with 422. Once a final
 * answer has arrived, a repetition gets the same answer.
 */
export function keysHaveOneEffect(ledgers: Ledgers): Found[] {
  const uses = Map.groupBy(
    ledgers.history.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    // A key on another path is another key.
    ({ merchantId, path, idempotencyKey }) => `${merchantId} ${path} ${idempotencyKey}`,
  );
  const made = Map.groupBy(ledgers.payments, ({ orderId }) => orderId);
  const asked = new Set(ledgers.bank.filter(({ operation }) => isPayment(operation)).map(paymentIdOf));
  return [...uses].flatMap(([scopedKey, sent]) => {
    const key = scopedKey.split(" ")[2] ?? "";
    return [
      ...effects(key, sent, { made, asked }),
      ...differentAnswers(key, sent),
      ...answersToOtherRequests(key, sent),
      ...answersAfterTheEnd(key, sent),
    ];
  });
}

/** Payments by their orders, and the ids of those that were sent to the bank. */
type Effects = { made: ReadonlyMap<string, PaymentRow[]>; asked: ReadonlySet<string> };

function effects(key: string, sent: HistoryEntry[], { made, asked }: Effects): Found[] {
  const orders = new Set(sent.map(({ order }) => order?.orderId ?? ""));
  const ofKey = [...orders].flatMap((orderId) => made.get(orderId) ?? []).map(({ paymentId }) => paymentId);
  const askedFor = ofKey.filter((paymentId) => asked.has(paymentId));
  return [
    ...(ofKey.length > 1 ? [{ ids: [key, ...ofKey], what: `${ofKey.length} payments under one key` }] : []),
    ...(askedFor.length > 1
      ? [{ ids: [key, ...askedFor], what: `the bank was asked ${askedFor.length} times` }]
      : []),
  ];
}

function differentAnswers(key: string, sent: HistoryEntry[]): Found[] {
  const bodies = new Set(sent.filter(isFinalAnswer).map(({ body }) => body?.replace(CHALLENGE_FORM, "")));
  if (bodies.size <= 1) return [];
  return [{ ids: [key, ...paymentsOf(sent)], what: `${bodies.size} different final answers under one key` }];
}

const CHALLENGE_FORM = /,"htmlContent":"[A-Za-z0-9+/=]*"/;

/** Only one request can have had the key: it is never refused, and any other one is. */
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

/** A 202 is no end of a payment, but the final answer to a refund request. */
function isFinalAnswer(entry: HistoryEntry): boolean {
  return (entry.status !== 202 || entry.refund !== undefined) && recordOf(entry) !== undefined;
}

function requestOf({ order, operation, refund }: HistoryEntry): string {
  return JSON.stringify(order ?? operation ?? refund);
}

function paymentsOf(sent: HistoryEntry[]): string[] {
  return [...new Set(sent.flatMap((entry) => recordOf(entry)?.paymentId ?? []))];
}
