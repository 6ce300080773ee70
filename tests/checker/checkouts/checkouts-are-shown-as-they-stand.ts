import { minorUnits } from "../amount.ts";
import { checkoutOf, type AnsweredCheckout } from "../answers.ts";
import type { CheckoutRow, Found, HistoryEntry, Ledgers, Visit } from "../ledgers.ts";

/**
 * Invariant 34. A requested checkout is opened as requested, once under a key, and at most once without an
 * answer. Its merchant can read an acknowledged checkout, and its buyer can see it. Once an answer or a page
 * has shown that it is paid, or was closed without a payment, all later ones show the same. A COMPLETED one
 * is shown with its payment.
 */
export function checkoutsAreShownAsTheyStand({ history, checkouts, visits }: Ledgers): Found[] {
  const rows = new Map(checkouts.map((checkout) => [checkout.checkoutId, checkout]));
  const asked = history.filter(({ checkout }) => checkout);
  const byOrder = Map.groupBy(checkouts, ({ orderId }) => orderId);
  const answers = answersByCheckout(history, visits);
  return [
    ...[...Map.groupBy(asked, ({ checkout }) => checkout?.orderId ?? "")].flatMap(([orderId, sent]) =>
      opened(orderId, sent, byOrder.get(orderId) ?? []),
    ),
    ...history.flatMap((entry) => differences(entry, rows)),
    ...unfound(history, visits, rows),
    ...checkouts.flatMap((row) => shownOtherwise(row, answers.get(row.checkoutId) ?? [])),
  ];
}

function opened(orderId: string, sent: HistoryEntry[], rows: CheckoutRow[]): Found[] {
  const answered = sent.flatMap((entry) => checkoutOf(entry) ?? []);
  const named = new Set(answered.map(({ checkoutId }) => checkoutId));
  const unnamed = rows.filter(({ checkoutId }) => !named.has(checkoutId));
  const unknown = sent.filter(mayHaveLeftOne).length;
  const isKeyed = sent.some(({ idempotencyKey }) => idempotencyKey !== undefined);
  const ids = [orderId, ...rows.map(({ checkoutId }) => checkoutId)];
  return [
    ...(unnamed.length > unknown
      ? [{ ids, what: `${unnamed.length} checkouts nobody was told of, ${unknown} unanswered requests` }]
      : []),
    ...(isKeyed && rows.length > 1 ? [{ ids, what: `${rows.length} checkouts under one key` }] : []),
    ...(isKeyed && new Set(answered.map(({ text }) => text)).size > 1
      ? [{ ids, what: "different answers under one key" }]
      : []),
  ];
}

/** A 503 promises that nothing was opened, and so does every 4xx. */
function mayHaveLeftOne({ status, bytesSent }: HistoryEntry): boolean {
  if (status === undefined) return bytesSent;
  return status === 500 || status === 502 || status === 504;
}

function differences(entry: HistoryEntry, rows: Map<string, CheckoutRow>): Found[] {
  const shown = checkoutOf(entry);
  if (!shown) return [];
  const row = rows.get(shown.checkoutId);
  const ids = [shown.checkoutId];
  if (!row) return [{ ids, what: "was answered and does not exist" }];
  const isPaidByIts = shown.payment?.paymentId === row.paymentId && PAID.has(shown.payment?.status ?? "");
  return [
    ...(isSameOrder(shown, row) && (!entry.checkout || isSameOrder(shown, entry.checkout))
      ? []
      : [{ ids, what: `was shown as ${shown.orderId} ${shown.amount} ${shown.currency}` }]),
    ...(shown.status === "COMPLETED" && !isPaidByIts
      ? [{ ids, what: `was shown as COMPLETED with a payment ${shown.payment?.status}` }]
      : []),
  ];
}

/** A payment that succeeded, with its possible later statuses. */
const PAID: ReadonlySet<string> = new Set(["SUCCESS", "CAPTURED", "CANCELLED"]);

function isSameOrder(
  shown: AnsweredCheckout,
  expected: Pick<CheckoutRow, "orderId" | "currency"> & { amountMinor?: bigint; amount?: string },
): boolean {
  const { orderId, currency, amountMinor = minorUnits(expected.amount ?? "", currency) } = expected;
  return (
    shown.orderId === orderId &&
    shown.currency === currency &&
    minorUnits(shown.amount, shown.currency) === amountMinor
  );
}

/** A reader of a checkout that it knows of always gets it. */
function unfound(
  history: readonly HistoryEntry[],
  visits: readonly Visit[],
  rows: ReadonlyMap<string, CheckoutRow>,
): Found[] {
  const reads = history.filter(({ method, path }) => method === "GET" && path.startsWith(CHECKOUT_PATH));
  const read = new Set(reads.flatMap((entry) => checkoutOf(entry)?.checkoutId ?? []));
  const acknowledged = history.flatMap((entry) => (entry.checkout && checkoutOf(entry)?.checkoutId) ?? []);
  return [
    ...reads
      // Other merchants get the same 404 as for a checkout that does not exist (invariant 20).
      .filter(({ status, path, merchantId }) => {
        const owner = rows.get(path.slice(CHECKOUT_PATH.length))?.merchantId ?? merchantId;
        return status === 404 && owner === merchantId;
      })
      .map(({ path }) => ({ ids: [path.slice(CHECKOUT_PATH.length)], what: "a GET of it answered 404" })),
    ...[...new Set(acknowledged)]
      .filter((checkoutId) => !read.has(checkoutId))
      .map((checkoutId) => ({ ids: [checkoutId], what: "acknowledged, and no later GET found it" })),
    ...visits
      .filter(({ shown }) => shown === "missing")
      .map(({ checkoutId }) => ({ ids: [checkoutId], what: "its buyer was told that there is none" })),
  ];
}

const CHECKOUT_PATH = "/api/checkout/";

type Answered = { state: "OPEN" | "COMPLETED" | "UNPAID"; sentAt: number; answeredAt: number };

/** The answers about each checkout to merchant and buyer. */
function answersByCheckout(
  history: readonly HistoryEntry[],
  visits: readonly Visit[],
): Map<string, Answered[]> {
  const answers = [
    ...history.flatMap((entry) => {
      const shown = entry.method === "GET" ? checkoutOf(entry) : undefined;
      if (!shown) return [];
      return [{ ...timesOf(entry), checkoutId: shown.checkoutId, state: stateOf(shown.status) }];
    }),
    ...visits.flatMap(({ shown, ...visit }) => {
      if (shown === undefined || shown === "missing") return [];
      return [{ ...timesOf(visit), checkoutId: visit.checkoutId, state: SHOWN[shown] }];
    }),
  ];
  return Map.groupBy(answers, ({ checkoutId }) => checkoutId);
}

function shownOtherwise({ checkoutId, state }: CheckoutRow, answers: Answered[]): Found[] {
  const ids = [checkoutId];
  const closed = answers.filter((each) => each.state !== "OPEN");
  const reopened = closed.filter((before) =>
    answers.some((after) => after.sentAt >= before.answeredAt && after.state !== before.state),
  );
  return [
    ...closed
      .filter((each) => each.state !== stateOf(state))
      .map((each) => ({ ids, what: `is ${state}, and somebody was told ${each.state}` })),
    ...reopened.map((each) => ({ ids, what: `was shown as ${each.state} and later as something else` })),
  ];
}

function timesOf({ sentAt, answeredAt = sentAt }: { sentAt: number; answeredAt?: number }) {
  return { sentAt, answeredAt };
}

function stateOf(state: string): Answered["state"] {
  return state === "OPEN" || state === "COMPLETED" ? state : "UNPAID";
}

const SHOWN = { form: "OPEN", waiting: "OPEN", paid: "COMPLETED", unpaid: "UNPAID" } as const;
