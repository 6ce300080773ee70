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

/**
 * Accepts those events to which another endpoint of their merchant subscribes, with their deliveries. The
 * others have no reader, and are not kept.
 *
 * @returns the number of accepted events.
 */
export async function recordOwnEvents(
  trx: Transaction<WebhooksDatabase>,
  events: OwnEvent[],
  { windowMs, shiftMs }: OwnEventTerms,
): Promise<number> {
  const given = (await askedFor(trx, events)).map(givenEvent);
  if (given.length === 0) return 0;
  // Nothing is leased here: the next claim takes the deliveries.
  const values = [
    0,
    windowMs,
    shiftMs,
    ...GIVEN_COLUMNS.map(([column]) => given.map((event) => event[column])),
  ];
  await trx.executeQuery(CompiledQuery.raw(ACCEPT.text, values));
  return given.length;
}

async function askedFor(trx: Transaction<WebhooksDatabase>, events: OwnEvent[]): Promise<OwnEvent[]> {
  const merchants = new Set(events.map(({ merchantId }) => merchantId));
  const endpoints = await trx
    .selectFrom("endpoint")
    .select(["merchant_id", "endpoint_id", "events"])
    .where("merchant_id", "in", [...merchants])
    .where("state", "<>", "removed")
    .execute();
  const readers = Map.groupBy(endpoints, (endpoint) => endpoint.merchant_id);
  return events.filter(({ merchantId, endpointId, type }) =>
    (readers.get(merchantId) ?? []).some(
      (each) => each.endpoint_id !== endpointId && each.events.includes(type),
    ),
  );
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
