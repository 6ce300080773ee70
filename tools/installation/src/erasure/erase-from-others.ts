import { sql } from "kysely";
import type { Trx } from "./erase-customer.ts";
import { eraseBodies } from "./erase-from-payments.ts";
import type { Scope } from "./find-obstacles.ts";
import { ERASED, withoutPerson, withoutPersonInJson, type Person } from "./erased.ts";

/** Erases a person from refunds, and from what was written about them. */
export async function eraseFromRefunds(trx: Trx, person: Person, scope: Scope): Promise<void> {
  const { refundIds } = scope;
  await eraseBodies(trx, "refund", scope);
  await sql`
    update idempotency_key set answer = ${withoutPersonInJson("answer")}
    where resource_id = any(${refundIds}) and answer is not null`.execute(trx);
  await sql`
    update refund_approval set note = ${withoutPerson("note", person)}
    where refund_id = any(${refundIds}) and note is not null`.execute(trx);
  await sql`
    update refund set customer_id = case when customer_id is not null then ${ERASED} end,
      card_holder_name = case when card_holder_name is not null then ${ERASED} end,
      request_reason = ${withoutPerson("request_reason", person)},
      rejection_reason = ${withoutPerson("rejection_reason", person)}
    where refund_id = any(${refundIds})`.execute(trx);
}

/**
 * Erases persons from the dispatcher's copies of events, from merchants' servers' answers to them, and from
 * messages that could not be accepted.
 */
export async function eraseFromWebhooks(
  trx: Trx,
  { paymentIds, refundIds, knownEventIds }: Scope,
): Promise<void> {
  const ids = [...paymentIds, ...refundIds];
  await sql`
    update attempt set snippet = null
    where snippet is not null and event_id = any(${knownEventIds})`.execute(trx);
  await sql`
    update event set body = ${withoutPersonInJson("body")} where payment_id = any(${ids})`.execute(trx);
  await sql`
    delete from poison where exists (
      select from unnest(${ids}::uuid[]) as id where position(convert_to(id::text, 'UTF8') in data) > 0)`.execute(
    trx,
  );
}

/** The comparison with the bank has no person in it, but what people wrote about a difference may have. */
export async function eraseFromSettlement(
  trx: Trx,
  person: Person,
  { paymentIds, refundIds }: Scope,
): Promise<void> {
  const ids = [...paymentIds, ...refundIds];
  await sql`
    update difference_note as written set note = ${withoutPerson("note", person)}
    from difference
    where difference.difference_id = written.difference_id and difference.fact_id = any(${ids})`.execute(trx);
  await sql`
    update difference set reason = ${withoutPerson("reason", person)}
    where fact_id = any(${ids}) and reason is not null`.execute(trx);
}
