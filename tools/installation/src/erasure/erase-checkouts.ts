import { CHECKOUT_CANCELLED, CHECKOUT_COMPLETED, CHECKOUT_EXPIRED } from "@holdfast/contracts";
import { sql, type RawBuilder } from "kysely";
import { withRole } from "../database/with-role.ts";
import type { Customer, Trx } from "./erase-customer.ts";
import { eraseFromWebhooks } from "./erase-from-others.ts";
import { eraseBodies } from "./erase-from-payments.ts";
import { ERASED, ERASED_URL, idsOf, withoutPersonInJson } from "./erased.ts";
import { eventsOf, obstacle, undelivered, youngEvents, type Obstacle, type Scope } from "./find-obstacles.ts";

/**
 * Erases a customer from checkouts, including unpaid ones, and from the events of their ends. An event is
 * kept for longer than its checkout, so it is found by its own content.
 *
 * @returns the number of checkouts.
 */
export async function eraseCheckouts(trx: Trx, customer: Customer, scope: Scope): Promise<number> {
  const { paymentIds: checkoutIds } = scope;
  if (checkoutIds.length === 0) return 0;
  await withRole(trx, "webhooks");
  await eraseFromWebhooks(trx, scope);
  await withRole(trx, "payments");
  await eraseBodies(trx, "checkout", scope);
  await sql`
    update checkout set customer_id = ${ERASED}, sealed_details = null, buyer_text = null, success_url = ${ERASED_URL},
      failure_url = ${ERASED_URL}
    where checkout_id = any(${checkoutIds})`.execute(trx);
  await sql`
    update idempotency_key set answer = ${withoutPersonInJson("answer")}
    where answer is not null and (resource_id = any(${checkoutIds})
      or merchant_id = any(${idsOf(customer)}) and scope = any(${checkoutIds.map(scopeOfCancel)}))`.execute(
    trx,
  );
  return checkoutIds.length;
}

/** The scope of the key of a request to cancel the checkout. */
function scopeOfCancel(checkoutId: string): string {
  return `POST /api/checkout/${checkoutId}/cancel`;
}

/** Finds checkouts that are still needed as they are. On the page of an open one a buyer may still pay. */
export async function findCheckoutObstacles(trx: Trx, customer: Customer, scope: Scope): Promise<Obstacle[]> {
  await withRole(trx, "payments");
  const obstacles = [
    await obstacle(
      trx,
      "checkouts are open",
      sql`select checkout_id as id from checkout where ${isOf(customer)} and state = 'OPEN'`,
    ),
    youngEvents(await eventsOf(trx, "checkout", scope)),
    await undelivered(trx, scope),
  ];
  return obstacles.filter((each) => each !== undefined);
}

/** The customer's checkouts, and the events about their ends, also of checkouts that are no longer kept. */
export async function checkoutScopeOf(trx: Trx, customer: Customer): Promise<Scope> {
  await withRole(trx, "payments");
  const { rows: checkouts } = await sql<{ id: string }>`
    select checkout_id as id from checkout where ${isOf(customer)}`.execute(trx);
  const unconfirmed = await sql<EventRow>`
    select event_id, payment_id as id from outbox where confirmed_at is null and ${tells(customer)}`.execute(
    trx,
  );
  await withRole(trx, "webhooks");
  const known = await sql<EventRow>`
    select event_id, payment_id as id from event where ${tells(customer)}`.execute(trx);
  const events = [...unconfirmed.rows, ...known.rows];
  return {
    paymentIds: [...new Set([...checkouts, ...events].map(({ id }) => id))],
    refundIds: [],
    knownEventIds: events.map(({ event_id }) => event_id),
  };
}

type EventRow = { event_id: string; id: string };

function isOf(customer: Customer): RawBuilder<boolean> {
  return sql`merchant_id = any(${idsOf(customer)}) and customer_id = ${customer.customerId}`;
}

/** Selects events about the end of a checkout of this customer, by the very bytes that `payments` writes. */
function tells(customer: Customer): RawBuilder<boolean> {
  const field = `"customerId":${JSON.stringify(customer.customerId)}`;
  return sql`merchant_id = any(${idsOf(customer)}) and event_type = any(${ENDS})
    and position(convert_to(${field}, 'UTF8') in body) > 0`;
}

const ENDS = [CHECKOUT_COMPLETED, CHECKOUT_EXPIRED, CHECKOUT_CANCELLED];
