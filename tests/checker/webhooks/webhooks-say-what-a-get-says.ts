import { fieldsOf, readsByPayment } from "../answers.ts";
import type { Found, HistoryEntry, Ledgers, ReceivedWebhook } from "../ledgers.ts";
import { bodyFieldsOf, eventIdOf, aboutPayments } from "./received-webhook.ts";

/**
 * Invariant 17. A webhook has every field that a GET at that state has, with the same value, and also the kind of
 * transaction and of card. Only an operation that the bank declines, refunds and chargebacks change a GET's answer
 * without a new state.
 */
export function webhooksSayWhatAGetSays({ received, history, payments, refunds }: Ledgers): Found[] {
  const reads = readsByPayment(history);
  const cards = new Map(payments.map(({ paymentId, cardSubType }) => [paymentId, cardSubType]));
  for (const { refundId, paymentId } of refunds) cards.set(refundId, cards.get(paymentId) ?? null);
  const first = [...Map.groupBy(aboutPayments(received), eventIdOf).values()].flatMap(([one]) => one ?? []);
  return first.flatMap((webhook) => {
    const fields = bodyFieldsOf(webhook);
    const paymentId = String(fields["paymentId"]);
    const names = [
      ...differences(webhook, reads.get(paymentId) ?? []),
      ...(fields["transactionType"] === undefined ? ["transactionType"] : []),
      ...((cards.get(paymentId) ?? undefined) === fields["cardSubType"] || !cards.has(paymentId)
        ? []
        : ["cardSubType"]),
    ];
    return [...new Set(names)].map((name) => ({
      ids: [eventIdOf(webhook), paymentId],
      what: `its ${name} is not the payment's`,
    }));
  });
}

const CHANGES_LATER: ReadonlySet<string> = new Set([
  "lastOperation",
  "refundedAmount",
  "pendingRefundAmount",
  "refundableAmount",
  "chargedBackAmount",
]);

/** A replay shows the payment as it was when it was first answered. */
function differences(webhook: ReceivedWebhook, reads: HistoryEntry[]): string[] {
  const sent = bodyFieldsOf(webhook);
  return reads
    .filter(({ status, replayed }) => status === 200 && !replayed)
    .map(({ body = "" }) => fieldsOf(body))
    .filter(({ status }) => status === sent["status"])
    .flatMap((read) =>
      Object.keys(read).filter(
        (name) => !CHANGES_LATER.has(name) && JSON.stringify(read[name]) !== JSON.stringify(sent[name]),
      ),
    );
}
