import { randomUUIDv7 } from "node:crypto";
import type { EventStatus, EventType } from "@holdfast/contracts";
import { CompiledQuery, type Transaction } from "kysely";
import { ACCEPT, GIVEN_COLUMNS, type GivenEvent } from "./accept-statements.ts";
import type { WebhooksDatabase } from "../database.ts";

/**
 * An event about an endpoint, which its merchant's other endpoints get. It is an event like any other, but that the
 * dispatcher itself is its owner: it is accepted in the transaction that makes it true.
 */
export type OwnEvent = {
  merchantId: string;
  endpointId: string;
  type: EventType;
  status: EventStatus;
  content: object;
};

export type OwnEventTerms = {
  /** The time that an event is tried. */
  windowMs: number;
  /** The distance of the clock that deliveries go by from the database's. */
  shiftMs: number;
};

/** Accepts these events, with their deliveries. */
export async function recordOwnEvents(
  trx: Transaction<WebhooksDatabase>,
  events: OwnEvent[],
  { windowMs, shiftMs }: OwnEventTerms,
): Promise<void> {
  const given = events.map(givenEvent);
  // Nothing is leased here: the next claim takes the deliveries.
  const values = [
    0,
    windowMs,
    shiftMs,
    ...GIVEN_COLUMNS.map(([column]) => given.map((event) => event[column])),
  ];
  await trx.executeQuery(CompiledQuery.raw(ACCEPT.text, values));
}

function givenEvent({ merchantId, endpointId, type, status, content }: OwnEvent): GivenEvent {
  return {
    event_id: randomUUIDv7(),
    source: "webhooks",
    event_type: type,
    merchant_id: merchantId,
    payment_id: endpointId,
    status,
    body: Buffer.from(JSON.stringify(content)),
    traceparent: null,
    lease: false,
  };
}
