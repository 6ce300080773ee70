import { isAfter, readsByPayment, recordOf, type AnsweredRecord } from "../answers.ts";
import type { Found, HistoryEntry, Ledgers } from "../ledgers.ts";
import { minorUnits } from "../amount.ts";
import { isReachable } from "./payment-states.ts";

/**
 * Invariant 1. Every POST answered 2xx, for a payment or a refund: a GET by the same merchant finds it, the same
 * payment, in a status reachable from the one answered. No GET that was sent after the answer may miss it, and at least
 * one has to have found it.
 */
export function acknowledgedPaymentsCanBeRead({ history }: Ledgers): Found[] {
  const reads = readsByPayment(history);
  return history.flatMap((entry) => {
    const answered = entry.method === "POST" ? recordOf(entry) : undefined;
    if (!answered) return [];
    const later = (reads.get(answered.paymentId) ?? []).filter(
      (read) => read.merchantId === entry.merchantId && isAfter(entry, read),
    );
    return [...differencesFromRequest(entry, answered), ...laterReads(answered, later)];
  });
}

function differencesFromRequest({ order, refund }: HistoryEntry, answered: AnsweredRecord): Found[] {
  if (refund) {
    const { amount, currency } = answered;
    const isSame =
      refund.currency === currency && minorUnits(refund.amount, currency) === minorUnits(amount, currency);
    return isSame
      ? []
      : [{ ids: [answered.paymentId], what: `answered with another refund than ${refund.amount}` }];
  }
  if (!order || (order.orderId === answered.orderId && order.currency === answered.currency)) return [];
  return [{ ids: [answered.paymentId], what: `answered with another order than ${order.orderId}` }];
}

function laterReads(answered: AnsweredRecord, later: HistoryEntry[]): Found[] {
  const ids = [answered.paymentId];
  const found = later.filter(({ status }) => status === 200);
  const missed = later.filter(({ status }) => status === 404);
  return [
    ...(missed.length > 0
      ? [{ ids, what: `acknowledged, and ${missed.length} later GETs answered 404` }]
      : []),
    ...(found.length === 0 ? [{ ids, what: "acknowledged, and no later GET found it" }] : []),
    ...found.flatMap((read) => {
      const record = recordOf(read);
      if (record && isSamePayment(answered, record) && isReachable(answered.status, record.status)) return [];
      return [{ ids, what: `acknowledged as ${describe(answered)}, read later as ${describe(record)}` }];
    }),
  ];
}

/** Amounts are compared as they are written; invariant 6 compares them with the requested ones. */
function isSamePayment(one: AnsweredRecord, other: AnsweredRecord): boolean {
  const { paymentId, orderId, amount, currency } = other;
  return (
    one.paymentId === paymentId &&
    one.orderId === orderId &&
    one.amount === amount &&
    one.currency === currency
  );
}

function describe(record: AnsweredRecord | undefined): string {
  return record
    ? `${record.orderId} ${record.amount} ${record.currency} ${record.status}`
    : "no payment's record";
}
