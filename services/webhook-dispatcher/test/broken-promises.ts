import {
  checkInvariants,
  describeViolation,
  emptyLedgers,
  readAcceptedEvents,
  WEBHOOK_INVARIANTS,
  type OutboxRow,
  type Rules,
} from "@holdfast/tests/checker";
import type { DispatcherHarness } from "./dispatcher-harness.ts";
import type { TestEvent } from "./events.ts";

/** The broken promises about these events, found by the checker, which uses none of the dispatcher's code. */
export async function brokenPromises(
  { query, receiver, confirmed }: Pick<DispatcherHarness, "query" | "receiver" | "confirmed">,
  events: TestEvent[],
  rules: Partial<Rules>,
): Promise<string[]> {
  const ids = new Set(events.map(({ eventId }) => eventId));
  const ledgers = {
    ...emptyLedgers(rules),
    received: receiver.ledger,
    outbox: events.map((event) => ({ ...committed(event), confirmed: confirmed.includes(event.eventId) })),
    acceptedEvents: (await readAcceptedEvents(query)).filter(({ eventId }) => ids.has(eventId)),
  };
  return checkInvariants(ledgers, WEBHOOK_INVARIANTS).map(describeViolation);
}

/** The event as its owner has committed it. */
function committed({ eventId, merchantId, paymentId, status, body }: TestEvent): OutboxRow {
  return {
    owner: "payments",
    eventId,
    merchantId,
    paymentId,
    status,
    body: body.toString(),
    transactionId: eventId,
    occurredAt: Number.parseInt(eventId.replace("-", "").slice(0, 12), 16),
    confirmed: false,
  };
}
