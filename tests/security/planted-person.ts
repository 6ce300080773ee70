import { expect } from "vitest";
import { eventually, type TestSystem, TEST_ACCOUNT_ID } from "../support/index.ts";

type Planted = { paymentId: string; refundId: string; customerId: string; name: string };

/** Plants a person in the tables that a sale and its refund do not write, as other flows would have. */
export async function plantElsewhere(system: TestSystem, planted: Planted): Promise<void> {
  await plantInPayments(system, planted);
  await plantInRefunds(system, planted);
  await plantInWebhooks(system, planted);
  await plantInSettlement(system, planted);
}

const textOf = ({ name }: Planted) => `call with ${name}`;

async function plantInPayments(system: TestSystem, planted: Planted): Promise<void> {
  const { paymentId, customerId, name } = planted;
  const { merchantId } = system;
  const url = `https://shop.example/${customerId}`;
  const checkout = `
    insert into payments.checkout (checkout_id, merchant_id, state, transaction_type, order_id, customer_id, amount_minor,
      currency, currency_exponent, installment_options, three_ds, success_url, failure_url, payment_id, attempts, expires_at,
      closed_at)
    values (gen_random_uuid(), $1, $2, 'PAYMENT', 'order-1', $3, 1250, 'TRY', 2, '{1}', true, $4, $4, $5, $6, now(), now())`;
  await system.query(checkout, [merchantId, "COMPLETED", customerId, url, paymentId, 1]);
  await system.query(checkout, [merchantId, "EXPIRED", customerId, url, null, 0]);
  await system.query(
    `insert into payments.three_ds_session (payment_id, session_id, expires_at, success_url, failure_url, page_url,
       acquirer_session, challenge)
     values ($1, gen_random_uuid(), 'infinity', $2, $2, $2, $2, jsonb_build_object('url', $2::text))`,
    [paymentId, url],
  );
  await system.query(
    `insert into payments.payment_operation (operation_id, payment_id, kind, amount_minor, commission_minor, reason, state,
       finished_at)
     values (gen_random_uuid(), $1, 'CANCEL', 1, 0, $2, 'DECLINED', now())`,
    [paymentId, textOf(planted)],
  );
  await system.query(
    `with lost as (
       insert into payments.chargeback (chargeback_id, payment_id, merchant_id, status, amount_minor, currency, counted_minor,
         excess_minor, reason_code, bank_reference, outcome_reason, decided_by, ended_at)
       select gen_random_uuid(), $1, $3, 'LOST', 1, 'TRY', 1, 0, left($2, 64), $2, $2, 'olga', now() returning chargeback_id
     ), shown as (
       insert into payments.chargeback_evidence (evidence_id, chargeback_id, file_name, bytes, sha256, added_by, sealed_at)
       select gen_random_uuid(), chargeback_id, $2, 1, decode(repeat('00', 32), 'hex'), 'olga', now() from lost
       returning evidence_id
     )
     insert into payments.chargeback_evidence_part (evidence_id, part, key_id, content)
     select evidence_id, 0, 'f1', convert_to($2, 'UTF8') from shown`,
    [paymentId, textOf(planted), merchantId],
  );
  // Stored answers to the cancellation and the checkouts.
  await system.query(
    `insert into payments.idempotency_key (merchant_id, scope, key, fingerprint, resource_id, answer)
     select $1, 'POST /planted', gen_random_uuid(), decode(repeat('00', 32), 'hex'), id, convert_to($2, 'UTF8') from (
       select operation_id as id from payments.payment_operation where payment_id = $3 union all
       select checkout_id from payments.checkout where customer_id = $4) as resource`,
    [merchantId, JSON.stringify({ result: { cardHolderName: name, customerId } }), paymentId, customerId],
  );
}

async function plantInRefunds(system: TestSystem, planted: Planted): Promise<void> {
  const values = [planted.refundId, textOf(planted)];
  await system.query(
    "update refunds.refund set request_reason = $2, rejection_reason = $2 where refund_id = $1",
    values,
  );
  await system.query("update refunds.refund_approval set note = $2 where refund_id = $1", values);
}

async function plantInWebhooks(system: TestSystem, planted: Planted): Promise<void> {
  const { paymentId, refundId, name } = planted;
  await eventually(async () => {
    const { length } = await system.query("select from webhooks.event where payment_id = any($1)", [
      [paymentId, refundId],
    ]);
    expect(length).toBe(3);
  });
  await system.query(
    `insert into webhooks.attempt (attempt_id, sent_at, event_id, endpoint_id, trigger, planned_at, request_time, succeeded, duration_ms,
       snippet, body_hash, secret_version)
     select gen_random_uuid(), now(), event_id, merchant_id, 'schedule', now(), 0, false, 1, $2, '', 1
     from webhooks.event where payment_id = $1`,
    [paymentId, textOf(planted)],
  );
  await system.query(
    `insert into webhooks.poison (subject, sequence, reason, data, message_key)
     values ('events', 1, 'no event', convert_to($1, 'UTF8'), 'planted')`,
    [JSON.stringify({ paymentId, cardHolderName: name })],
  );
}

async function plantInSettlement(system: TestSystem, planted: Planted): Promise<void> {
  await system.query(
    `with known as (
       insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at,
         version, order_id, masked_pan)
       values ($1, '${TEST_ACCOUNT_ID}', $2, 'SALE', 'DONE', 1250, 'TRY', now(), 1, 'order-1', '411111******1111')
       returning fact_id),
     differs as (
       insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail, reason)
       select '${TEST_ACCOUNT_ID}', 'LATE', fact_id, 0, 'TRY', 'late', $3 from known returning difference_id)
     insert into settlement.difference_note (difference_id, actor, note)
     select difference_id, 'olga', $3 from differs`,
    [planted.paymentId, system.merchantId, textOf(planted)],
  );
}
