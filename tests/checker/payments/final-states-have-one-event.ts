import { readRecord } from "../answers.ts";
import type { Found, Ledgers } from "../ledgers.ts";
import { isFinal } from "./payment-states.ts";

/**
 * Invariant 23. Each step of a payment or a refund into a final state has exactly one outbox row, written by
 * the same transaction, about that payment in that status. No other step has one.
 */
export function finalStatesHaveOneEvent({ paymentHistory, refundHistory, outbox }: Ledgers): Found[] {
  const events = Map.groupBy(outbox, ({ paymentId, status, transactionId }) =>
    [paymentId, status, transactionId].join(" "),
  );
  const ofRefunds = refundHistory.map(({ refundId, ...step }) => ({ ...step, paymentId: refundId }));
  const final = [...paymentHistory, ...ofRefunds].filter(({ to }) => isFinal(to));
  const steps = new Set(
    final.map(({ paymentId, to, transactionId }) => [paymentId, to, transactionId].join(" ")),
  );
  return [
    ...final.flatMap(({ paymentId, to, transactionId }) => {
      const count = events.get([paymentId, to, transactionId].join(" "))?.length ?? 0;
      return count === 1 ? [] : [{ ids: [paymentId], what: `became ${to} with ${count} events` }];
    }),
    ...outbox.flatMap(({ eventId, paymentId, status, transactionId, body }) => {
      const ids = [paymentId, eventId];
      if (!steps.has([paymentId, status, transactionId].join(" ")))
        return [{ ids, what: `an event ${status} too many` }];
      const record = readRecord(body);
      if (record?.paymentId === paymentId && record.status === status) return [];
      return [{ ids, what: `the event ${status} tells of something else` }];
    }),
  ];
}
