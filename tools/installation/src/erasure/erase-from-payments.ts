import { sql } from "kysely";
import type { Trx } from "./erase-customer.ts";
import { ERASED, ERASED_URL, withoutPerson, withoutPersonInJson, type Person } from "./erased.ts";
import { eventsOf, type Scope, type EventSubject } from "./find-obstacles.ts";

/**
 * Erases a person from payments, and from everything that belongs to them. The card's fingerprint would
 * reveal the card, so it is removed.
 */
export async function eraseFromPayments(trx: Trx, person: Person, scope: Scope): Promise<void> {
  const { paymentIds } = scope;
  await eraseBodies(trx, "payment", scope);
  await sql`
    update idempotency_key set answer = ${withoutPersonInJson("answer")}
    where answer is not null and (resource_id = any(${paymentIds}) or resource_id in (
      select operation_id from payment_operation where payment_id = any(${paymentIds})))`.execute(trx);
  await sql`
    update payment_operation set reason = ${withoutPerson("reason", person)}
    where payment_id = any(${paymentIds}) and reason is not null`.execute(trx);
  // Evidence for the bank may name the buyer in any way; its hash stays in the audit log.
  await sql`
    delete from chargeback_evidence where chargeback_id in (
      select chargeback_id from chargeback where payment_id = any(${paymentIds}))`.execute(trx);
  await sql`
    update chargeback set outcome_reason = ${withoutPerson("outcome_reason", person)},
      reason_code = ${withoutPerson("reason_code", person)}, bank_reference = ${withoutPerson("bank_reference", person)}
    where payment_id = any(${paymentIds})`.execute(trx);
  await sql`
    update three_ds_session set success_url = ${ERASED_URL}, failure_url = ${ERASED_URL}, page_url = ${ERASED_URL},
      acquirer_session = null, challenge = null
    where payment_id = any(${paymentIds})`.execute(trx);
  await sql`
    update payment set customer_id = case when customer_id is not null then ${ERASED} end, card_holder_name = ${ERASED},
      request_ip = '0.0.0.0', request_port = 1, pan_fingerprint = null
    where payment_id = any(${paymentIds})`.execute(trx);
}

/** Erases events' bodies in the schema in use, which has an outbox. */
export async function eraseBodies(trx: Trx, of: EventSubject, scope: Scope): Promise<void> {
  const eventIds = (await eventsOf(trx, of, scope)).map(({ event_id }) => event_id);
  await sql`
    update outbox set body = ${withoutPersonInJson("body")} where event_id = any(${eventIds})`.execute(trx);
}
