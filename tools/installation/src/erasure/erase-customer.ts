import { randomUUID } from "node:crypto";
import { appendAudit, type AuditDatabase } from "@holdfast/audit";
import { sql, type Kysely, type Transaction } from "kysely";
import { withRole } from "../database/with-role.ts";
import { checkoutScopeOf, eraseCheckouts, findCheckoutObstacles } from "./erase-checkouts.ts";
import { eraseFromPayments } from "./erase-from-payments.ts";
import { eraseFromRefunds, eraseFromSettlement, eraseFromWebhooks } from "./erase-from-others.ts";
import { ERASED, idsOf, type Person } from "./erased.ts";
import { findObstacles, scopeOf, type Obstacle } from "./find-obstacles.ts";

/** The customer of one merchant, in that merchant's words. */
export type Customer = { merchantId: string; customerId: string };

export type Erasure =
  | { outcome: "erased"; erasureId: string; payments: number; refunds: number; checkouts: number }
  /** Nothing was changed, unless the obstacle appeared after some batches: then the next run continues. */
  | { outcome: "refused"; obstacles: Obstacle[] };

/** A transaction over all schemas, as a role that may act as each of their owners. */
export type Trx = Transaction<AuditDatabase>;

/**
 * Replaces a customer's identifiers by a marker, in every row of every schema that is about that customer's
 * payments: customer id, name, address, and texts that contain them. The money, its references and the masked
 * card number stay.
 *
 * Each batch of payments is one transaction over all schemas, with an entry in the audit logs of payments,
 * refunds and webhooks. A batch is found by the customer's id, which it replaces: the next run continues an
 * interrupted erasure, and finds nothing after a finished one.
 *
 * @param reason the recorded reason, such as the number of the request; never the person.
 */
export async function eraseCustomer(
  db: Kysely<AuditDatabase>,
  { customer, actor, reason }: { customer: Customer; actor: string; reason: string | undefined },
): Promise<Erasure> {
  const erasureId = randomUUID();
  const record = { actor, erasureId, reason, customer };
  const total = { payments: 0, refunds: 0, checkouts: 0 };

  const obstacles = await db.transaction().execute((trx) => lookAhead(trx, customer));
  if (obstacles.length > 0) return { outcome: "refused", obstacles };
  for (;;) {
    const batch = await db.transaction().execute((trx) => eraseBatch(trx, record));
    if ("obstacles" in batch) return { outcome: "refused", obstacles: batch.obstacles };
    total.payments += batch.payments;
    total.refunds += batch.refunds;
    if (batch.payments === 0) break;
  }
  const checkouts = await db.transaction().execute((trx) => eraseLastCheckouts(trx, record));
  if ("obstacles" in checkouts) return { outcome: "refused", obstacles: checkouts.obstacles };
  total.checkouts = checkouts.checkouts;
  return { outcome: "erased", erasureId, ...total };
}

type Recorded = { actor: string; erasureId: string; reason: string | undefined; customer: Customer };

/** Finds the obstacles of all the customer's payments before the first one is changed. */
async function lookAhead(trx: Trx, customer: Customer): Promise<Obstacle[]> {
  const obstacles = await findCheckoutObstacles(trx, customer, await checkoutScopeOf(trx, customer));
  let after: string | undefined;
  for (;;) {
    const paymentIds = await paymentsOf(trx, customer, after);
    if (paymentIds.length === 0) return obstacles;
    obstacles.push(...(await findObstacles(trx, await scopeOf(trx, paymentIds))));
    after = paymentIds.at(-1);
  }
}

type Batch = { payments: number; refunds: number } | { obstacles: Obstacle[] };

async function eraseBatch(trx: Trx, record: Recorded): Promise<Batch> {
  const { customer } = record;
  const paymentIds = await paymentsOf(trx, customer);
  if (paymentIds.length === 0) return { payments: 0, refunds: 0 };
  // Refunds and operations of these payments wait until the end, and take over the marker.
  await withRole(trx, "payments");
  await sql`select from payment where payment_id = any(${paymentIds}) for update`.execute(trx);
  const scope = await scopeOf(trx, paymentIds);
  const obstacles = await findObstacles(trx, scope);
  if (obstacles.length > 0) return { obstacles };

  const person = await personOf(trx, customer, paymentIds);
  const detail = { payments: paymentIds.length, refunds: scope.refundIds.length };
  await withRole(trx, "webhooks");
  await eraseFromWebhooks(trx, scope);
  await note(trx, record, detail);
  await withRole(trx, "refunds");
  await eraseFromRefunds(trx, person, scope);
  await note(trx, record, detail);
  await withRole(trx, "settlement");
  await eraseFromSettlement(trx, person, scope);
  await withRole(trx, "payments");
  await eraseFromPayments(trx, person, scope);
  await note(trx, record, detail);
  return detail;
}

/** Erases checkouts that were never paid: they have no payment by which they would be found. */
async function eraseLastCheckouts(
  trx: Trx,
  record: Recorded,
): Promise<{ checkouts: number } | { obstacles: Obstacle[] }> {
  const { customer } = record;
  const scope = await checkoutScopeOf(trx, customer);
  const obstacles = await findCheckoutObstacles(trx, customer, scope);
  if (obstacles.length > 0) return { obstacles };
  const checkouts = await eraseCheckouts(trx, customer, scope);
  if (checkouts === 0) return { checkouts };
  await note(trx, record, { checkouts });
  await withRole(trx, "webhooks");
  await note(trx, record, { checkouts });
  return { checkouts };
}

/** A page of the customer's payments, also of those that only refunds still name. */
async function paymentsOf(
  trx: Trx,
  customer: Customer,
  after = "00000000-0000-0000-0000-000000000000",
): Promise<string[]> {
  const pages: string[] = [];
  for (const [schema, table] of [
    ["payments", "payment"],
    ["refunds", "refund"],
  ] as const) {
    await withRole(trx, schema);
    const { rows } = await sql<{ payment_id: string }>`
      select distinct payment_id from ${sql.table(table)}
      where customer_id = ${customer.customerId} and merchant_id = any(${idsOf(customer)}) and payment_id > ${after}
      order by payment_id limit ${PAGE}`.execute(trx);
    pages.push(...rows.map(({ payment_id }) => payment_id));
  }
  return [...new Set(pages)].toSorted().slice(0, PAGE);
}

const PAGE = 200;

/** The person's identifiers: the id, and the names under which the customer paid. */
async function personOf(trx: Trx, { customerId }: Customer, paymentIds: string[]): Promise<Person> {
  await withRole(trx, "payments");
  const { rows } = await sql<{ name: string }>`
    select distinct card_holder_name as name from payment
    where payment_id = any(${paymentIds}) and card_holder_name <> ${ERASED}`.execute(trx);
  return { customerId, words: [customerId, ...rows.map(({ name }) => name)] };
}

/**
 * Writes one entry in the audit log of the current schema. It says how much was erased, but not whose data.
 */
async function note(
  trx: Trx,
  { actor, erasureId, reason, customer }: Recorded,
  counts: object,
): Promise<void> {
  await appendAudit(trx, {
    actor,
    action: "customer.erased",
    subject: `erasure ${erasureId}`,
    detail: { merchantId: customer.merchantId, ...(reason !== undefined && { reason }), ...counts },
  });
}
