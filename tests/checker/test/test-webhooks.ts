import { createHmac } from "node:crypto";
import type { OutboxRow, ReceivedWebhook } from "../ledgers.ts";
import { COMMITTED_AT, merchantId, type TestLedgers } from "./test-ledgers.ts";

/** Builders of deliveries for the checker's own tests. */
const SECRET = "whs_secret";
const PATH = "/webhooks/a";

type Change = Partial<ReceivedWebhook> & {
  /** The time after the commit. */
  afterMs?: number;
  requestTime?: number;
  secret?: string;
  eventId?: string;
  eventType?: string;
};

/** Every event of the run arrives, the first one at the third attempt. */
export function deliverEverything(run: TestLedgers): void {
  run.rules.receivers = [{ merchantId, path: PATH, secrets: [SECRET] }];
  run.rules.retryDelaysMs = [30_000, 60_000];
  run.rules.retryWindowMs = 100_000;
  for (const [index, row] of run.outbox.entries()) {
    row.body = row.body.replace(/\}$/, ',"transactionType":"PAYMENT"}');
    run.acceptedEvents.push({ eventId: row.eventId, merchantId: row.merchantId, outcome: "delivered" });
    if (index > 0) arrive(run, row);
    else for (const attempt of thirdTimeLucky) arrive(run, row, attempt);
  }
}

const thirdTimeLucky: Change[] = [
  { answered: 500 },
  { answered: 500, afterMs: 30_100 },
  { answered: 200, afterMs: 90_200 },
];

/** One attempt at an event. */
export function arrive(
  run: TestLedgers,
  row: OutboxRow,
  { afterMs = 20, requestTime, secret = SECRET, eventId = row.eventId, eventType, ...change }: Change = {},
): void {
  const arrivedAt = change.arrivedAt ?? COMMITTED_AT + afterMs;
  const time = `${requestTime ?? arrivedAt - 5}`;
  const body = change.body ?? Buffer.from(row.body);
  const type = eventType ?? "payment.status_changed";
  const sign = (before: string) => createHmac("sha256", secret).update(before).update(body).digest("hex");
  run.received.push({
    arrivedAt,
    path: PATH,
    headers: {
      "x-request-time": time,
      "x-request-signature": sign(`${time}:`),
      "x-request-signature-v2": sign(`v2:${time}:${eventId}:${type}:`),
      "x-event-id": eventId,
      "x-event-type": type,
    },
    body,
    answered: 200,
    ...change,
  });
}
