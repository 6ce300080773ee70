// The statements of fillYears. Their rows follow from a temporary table with a row for each payment.
import { TEST_ACCOUNT_ID } from "../support/index.ts";

/**
 * Parameters: $1 how many payments, $2 how many exist already, $3 how many there will be, $4 over how many
 * days, $5 the merchants, $6 how many tenths of the payments belong to the first of them, $7 of how many
 * payments one was charged back (50 or 10), $8 the time of the last payment.
 */
export const MAKE_DRAWN = `
  create temporary table drawn as
  select *, uuidv7(created_at - now()) as payment_id, uuidv7(created_at - now() + interval '1 second') as event_id,
    uuidv7(created_at - now() + interval '1 hour') as refund_id, uuidv7(created_at - now() - interval '1 minute') as checkout_id,
    uuidv7(created_at - now() + interval '30 minutes') as chargeback_id, encode(sha256(int8send(number)), 'hex') as line_id,
    number % 3 = 0 as is_captured, number % 5 = 0 as is_of_checkout, number % 3 = 1 as is_three_ds, number % 20 = 4 as is_refunded,
    number % $7::int = 36 % $7::int as is_charged_back, case number % 100 when 36 then 'LOST' else 'WON' end as case_status,
    case number % 40 when 11 then 'EUR' when 32 then 'USD' else 'TRY' end as currency,
    case when number % 10 = 7 then 'FAILED' when number % 3 = 0 then 'CAPTURED' else 'SUCCESS' end as state
  from (
    select number + $2::int as number,
      ($5::uuid[])[case when number / 7 % 10 >= $6::int then 1 + number / 70 % cardinality($5::uuid[]) else 1 end] as merchant_id,
      'years-' || number + $2::int as order_id, 1000 + number % 9000 as amount_minor,
      (array['411111', '555555', '979200', '400000'])[number % 4 + 1] || '******' || lpad((number % 10000)::text, 4, '0') as masked_pan,
      'years-ext-' || number + $2::int as external_transaction_id, lpad((number % 1000000)::text, 6, '0') as auth_code,
      $8::timestamptz - (1 - (number + $2::int)::float8 / $3::int) * $4::int * interval '1 day' as created_at
    from generate_series(1, $1::int) as number
  ) as row`;

const BODY = "decode(repeat('7b', 400), 'hex')";
/** The rows within their retention (docs/retention.md). */
const KEPT = {
  outbox: "created_at > now() - interval '29 days'",
  keys: "created_at > now() - interval '160 hours'",
  events: "created_at > now() - interval '89 days'",
};
const ANSWER = "convert_to(repeat('answer ', 60), 'UTF8')";
const HASH = "decode(repeat('00', 32), 'hex')";

export const FILL_PAYMENTS = [
  `insert into payments.payment (payment_id, merchant_id, transaction_type, state, version, order_id, customer_id, amount_minor,
     currency, currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name, masked_pan,
     pan_fingerprint, pan_fingerprint_key_id, refunds_commission, external_transaction_id, auth_code, captured_minor, refunded_minor,
     charged_back_minor, account_id, created_at, updated_at, state_since)
   select payment_id, merchant_id, case when is_captured then 'PRE_AUTHORIZATION' else 'PAYMENT' end, state, 2, order_id,
     'customer-' || number % 5000, amount_minor, currency, 2, 1, 25, '192.0.2.1', 443, 'Ada Lovelace', masked_pan,
     sha256(convert_to(masked_pan, 'UTF8')), '0', true, external_transaction_id, auth_code,
     case when state = 'CAPTURED' then amount_minor else 0 end,
     case when is_refunded and state <> 'FAILED' then amount_minor else 0 end,
     case when is_charged_back and case_status = 'LOST' then amount_minor else 0 end, '${TEST_ACCOUNT_ID}', created_at, created_at,
     created_at
   from drawn`,
  `insert into payments.payment_history (payment_id, version, from_state, to_state, cause, at)
   select payment_id, version, case version when 2 then 'AUTHORIZING' end, case version when 1 then 'AUTHORIZING' else state end,
     'years', created_at
   from drawn, generate_series(1, 2) as version`,
  `insert into payments.payment_operation (operation_id, payment_id, kind, amount_minor, commission_minor, state, created_at, finished_at)
   select uuidv7(created_at - now()), payment_id, 'CAPTURE', amount_minor, 25, 'DONE', created_at, created_at
   from drawn where state = 'CAPTURED'`,
  `insert into payments.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at, publish_attempts, publish_at)
   select event_id, 'payment.status_changed', payment_id, merchant_id, state, ${BODY}, created_at, 1, created_at + interval '1 minute'
   from drawn where ${KEPT.outbox}`,
  `insert into payments.idempotency_key (merchant_id, scope, key, fingerprint, resource_id, answer, created_at)
   select merchant_id, 'POST /api/payment', 'years-' || number, ${HASH}, payment_id, ${ANSWER}, created_at
   from drawn where ${KEPT.keys}`,
  `insert into payments.checkout (checkout_id, merchant_id, state, transaction_type, order_id, customer_id, amount_minor, currency,
     currency_exponent, installment_options, three_ds, success_url, failure_url, payment_id, attempts, created_at, expires_at, closed_at)
   select checkout_id, merchant_id, 'COMPLETED', 'PAYMENT', order_id, 'customer-' || number % 5000, amount_minor, currency, 2, '{1}',
     false, 'https://shop.example/', 'https://shop.example/', payment_id, 1, created_at, created_at + interval '1 hour', created_at
   from drawn where is_of_checkout and ${KEPT.outbox}`,
  `insert into payments.checkout_payment (payment_id, checkout_id, attempt)
   select payment_id, checkout_id, 1 from drawn where is_of_checkout and ${KEPT.outbox}`,
  `insert into payments.payment_link (payment_link_id, merchant_id, description, order_id, amount_minor, currency, currency_exponent,
     installment_options, three_ds, single_use, taken_by, created_at, expires_at)
   select gen_random_uuid(), merchant_id, 'Piano lesson', order_id, amount_minor, currency, 2, '{1}', false, true, payment_id, created_at,
     created_at + interval '1 day'
   from drawn where is_of_checkout`,
  `insert into payments.three_ds_session (payment_id, session_id, expires_at, success_url, failure_url, page_url, trans_status, eci,
     ds_trans_id)
   select payment_id, gen_random_uuid(), created_at + interval '15 minutes', 'https://shop.example/', 'https://shop.example/',
     'https://pay.example/', 'Y', '05', 'ds-' || number
   from drawn where is_three_ds`,
  `insert into payments.bank_call (payment_id, account_id, number, kind, reference, movement_id, amount_minor, currency, sent_at, answered_at,
     outcome, external_transaction_id, auth_code)
   select payment_id, '${TEST_ACCOUNT_ID}'::uuid, 1, case when is_captured then 'authorize' else 'sale' end, payment_id::text, null::uuid, amount_minor, currency,
     created_at, created_at, 'approved', external_transaction_id, auth_code
   from drawn
   union all select payment_id, '${TEST_ACCOUNT_ID}', 2, 'reverse', payment_id::text, null, amount_minor, currency, created_at, created_at, 'reversed',
     null, null
   from drawn where state = 'FAILED'
   union all select payment_id, '${TEST_ACCOUNT_ID}', 3, 'refund', refund_id || ':refund', refund_id, amount_minor, currency, created_at, created_at,
     'approved', 'refund-' || external_transaction_id, auth_code
   from drawn where is_refunded and state <> 'FAILED'`,
  `insert into payments.payment_watch (payment_id, due_at, attempts, ended_at)
   select payment_id, created_at, 1, created_at from drawn where state = 'FAILED'`,
  `insert into payments.refund_reservation (refund_id, payment_id, merchant_id, amount_minor, kind, state, created_at)
   select refund_id, payment_id, merchant_id, amount_minor, 'refund', 'SETTLED', created_at
   from drawn where is_refunded and state <> 'FAILED'`,
];

/** Chargebacks are never of failed payments, whose numbers have other endings. */
export const FILL_CHARGEBACKS = [
  `insert into payments.chargeback (chargeback_id, payment_id, merchant_id, status, amount_minor, currency, counted_minor,
     excess_minor, bank_reference, outcome_reason, decided_by, created_at, ended_at)
   select chargeback_id, payment_id, merchant_id, case_status, amount_minor, currency,
     case case_status when 'LOST' then amount_minor else 0 end, 0, external_transaction_id, 'The bank wrote so.', 'olga',
     created_at, created_at
   from drawn where is_charged_back`,
  `insert into payments.chargeback_line (line_id, kind, payment_id, chargeback_id, amount_minor, currency, bank_reference, recorded_at)
   select line_id, 'CHARGEBACK', payment_id, chargeback_id, amount_minor, currency, external_transaction_id, created_at
   from drawn where is_charged_back`,
  `insert into payments.chargeback_evidence (evidence_id, chargeback_id, file_name, bytes, sha256, added_by, created_at, sealed_at)
   select refund_id, chargeback_id, 'receipt.pdf', 400, sha256(${BODY}), 'olga', created_at, created_at
   from drawn where is_charged_back`,
  `insert into payments.chargeback_evidence_part (evidence_id, part, key_id, content)
   select refund_id, 0, 'f1', ${BODY} from drawn where is_charged_back`,
];

export const FILL_REFUNDS = [
  `insert into refunds.refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency, currency_exponent, kind,
     order_id, customer_id, installment_count, card_holder_name, masked_pan, external_transaction_id, auth_code,
     approvals_required, account_id, created_at, updated_at, state_since)
   select refund_id, payment_id, merchant_id, 'SUCCESS', 3, amount_minor, currency, 2, 'refund', order_id,
     'customer-' || number % 5000, 1, 'Ada Lovelace', masked_pan, 'refund-' || external_transaction_id, auth_code, 1,
     '${TEST_ACCOUNT_ID}', created_at, created_at, created_at
   from drawn where is_refunded and state <> 'FAILED'`,
  `insert into refunds.refund_history (refund_id, version, from_state, to_state, cause, at)
   select refund_id, version, 'EXECUTING', 'SUCCESS', 'years', created_at
   from drawn, generate_series(1, 3) as version where is_refunded and state <> 'FAILED'`,
  `insert into refunds.refund_approval (refund_id, approved_by, request_id, at)
   select refund_id, 'olga', refund_id::text, created_at from drawn where is_refunded and state <> 'FAILED'`,
  `insert into refunds.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at, publish_attempts, publish_at)
   select uuidv7(created_at - now() + interval '1 hour'), 'payment.status_changed', refund_id, merchant_id, 'SUCCESS', ${BODY},
     created_at, 1, created_at
   from drawn where is_refunded and state <> 'FAILED' and ${KEPT.outbox}`,
  `insert into refunds.idempotency_key (merchant_id, scope, key, fingerprint, resource_id, answer, created_at)
   select merchant_id, 'POST /api/refund', 'years-' || number, ${HASH}, refund_id, ${ANSWER}, created_at
   from drawn where is_refunded and state <> 'FAILED' and ${KEPT.keys}`,
];

export const FILL_WEBHOOKS = [
  `insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
   select uuid_extract_timestamp(event_id), event_id, 'payments', 'payment.status_changed', merchant_id, payment_id, state, ${BODY}
   from drawn where ${KEPT.events}`,
  `insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome, resolved_at)
   select merchant_id, uuid_extract_timestamp(event_id), event_id, case number % 1000 when 0 then 'failed' else 'delivered' end, created_at
   from drawn where ${KEPT.events}`,
  `insert into webhooks.attempt (attempt_id, sent_at, event_id, endpoint_id, trigger, number, planned_at, request_time, succeeded, status_code,
     duration_ms, body_hash, secret_version)
   select gen_random_uuid(), created_at, event_id, merchant_id, 'schedule', 1, created_at, 0, number % 1000 <> 0, 200, 10, ${HASH}, 1
   from drawn where ${KEPT.outbox}`,
  `insert into webhooks.endpoint_hour as known (endpoint_id, hour, result, duration_bucket, count)
   select merchant_id, date_trunc('hour', created_at, 'UTC'), case number % 1000 when 0 then 'status' else 'answered' end, 14, count(*)
   from drawn where ${KEPT.outbox} group by 1, 2, 3
   on conflict (endpoint_id, hour, result, duration_bucket) do update set count = known.count + excluded.count`,
];

export const FILL_SETTLEMENT = [
  `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version, order_id,
     masked_pan, external_transaction_id, auth_code, reported, verdict, commission_minor)
   select payment_id, '${TEST_ACCOUNT_ID}', merchant_id, case when state = 'CAPTURED' then 'CAPTURE' else 'SALE' end, 'DONE', amount_minor,
     currency, created_at, 2, order_id, masked_pan, external_transaction_id, auth_code, true, 'MATCHED', 25
   from drawn where state <> 'FAILED'`,
  `insert into settlement.fact (fact_id, account_id, parent_id, merchant_id, kind, standing, amount_minor, currency, occurred_at,
     version, order_id, masked_pan, external_transaction_id, auth_code, reported, verdict)
   select refund_id, '${TEST_ACCOUNT_ID}', payment_id, merchant_id, 'REFUND', 'DONE', amount_minor, currency, created_at, 3, order_id, masked_pan,
     'refund-' || external_transaction_id, auth_code, true, 'MATCHED'
   from drawn where is_refunded and state <> 'FAILED'`,
  `insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, bytes, state, lines, matched_at,
     created_at, ended_at)
   select import_id, '${TEST_ACCOUNT_ID}', 'generic', 'years-' || day || '.csv', 'olga', sha256(convert_to(day || random()::text, 'UTF8')), 1,
     'TAKEN', count, through, through, through
   from (
     select uuidv7(max(created_at) - now()) as import_id, created_at::date::text as day, count(*) as count, max(created_at) as through
     from drawn group by created_at::date) as of_day`,
  `insert into settlement.line (import_id, line_no, account_id, kind, reference, reference_id, bank_reference, auth_code, masked_pan,
     gross_minor, fee_minor, net_minor, currency, transacted_at, settles_on, fact_id, verdict, merchant_id)
   select import_id, row_number() over (partition by import_id order by number), '${TEST_ACCOUNT_ID}',
     case when drawn.state = 'CAPTURED' then 'CAPTURE' else 'SALE' end, payment_id::text, payment_id, external_transaction_id,
     auth_code, masked_pan, amount_minor, 10, amount_minor - 10, currency, drawn.created_at, drawn.created_at::date + 1, payment_id, 'MATCHED',
     merchant_id
   from drawn join settlement.import on file_name = 'years-' || drawn.created_at::date || '.csv'
     and import.created_at between (select min(created_at) from drawn) and (select max(created_at) from drawn)
   where drawn.state <> 'FAILED'`,
  // Numbers the chargeback lines after their file's sales.
  `with line as (
     insert into settlement.line (import_id, line_no, account_id, kind, reference, reference_id, bank_reference, gross_minor,
       fee_minor, net_minor, currency, transacted_at, settles_on, fact_id, verdict, merchant_id)
     select import_id, lines + row_number() over (partition by import_id order by number), '${TEST_ACCOUNT_ID}', 'CHARGEBACK',
       payment_id::text, payment_id, external_transaction_id, -amount_minor, 0, -amount_minor, currency, drawn.created_at,
       drawn.created_at::date + 1, payment_id, 'NOT_COMPARED', merchant_id
     from drawn join settlement.import on file_name = 'years-' || drawn.created_at::date || '.csv'
       and import.created_at between (select min(created_at) from drawn) and (select max(created_at) from drawn)
     where is_charged_back
     returning import_id, line_no, fact_id
   )
   insert into settlement.chargeback_report (line_id, import_id, line_no, payment_id, tell_at)
   select line_id, import_id, line_no, payment_id, null::timestamptz from drawn join line on fact_id = payment_id`,
  `insert into settlement.line (import_id, line_no, account_id, kind, reference, reference_id, bank_reference, gross_minor, fee_minor,
     net_minor, currency, transacted_at, settles_on, fact_id, verdict, merchant_id)
   select import_id, 2 * lines + row_number() over (partition by import_id order by number), '${TEST_ACCOUNT_ID}', 'REFUND', refund_id::text,
     refund_id, 'refund-' || external_transaction_id, -amount_minor, 0, -amount_minor, currency, drawn.created_at,
     drawn.created_at::date + 1, refund_id, 'MATCHED', merchant_id
   from drawn join settlement.import on file_name = 'years-' || drawn.created_at::date || '.csv'
     and import.created_at between (select min(created_at) from drawn) and (select max(created_at) from drawn)
   where is_refunded and drawn.state <> 'FAILED'`,
  `with difference as (
     insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail, state, closed_by, decision, reason,
       opened_at, ended_at)
     select '${TEST_ACCOUNT_ID}', 'LATE', payment_id, 0, currency, 'late', 'CLOSED', 'olga', 'ACCEPT_BANK', 'It came.', created_at, created_at
     from drawn where number % 50 = 0 and state <> 'FAILED'
     returning difference_id, opened_at
   )
   insert into settlement.difference_note (difference_id, at, actor, note)
   select difference_id, opened_at + number * interval '1 minute', 'olga', 'years'
   from difference, generate_series(1, 10) as number`,
];

const AUDITED = ["gateway", "payments", "refunds", "settlement", "webhooks"];
const PARTITIONED = ["event", "outcome", "attempt"];

/** Rows that do not follow from single payments. `:days` is the number of filled days. */
export const FILL_ALONE = [
  // The dispatcher creates future partitions only, so past ones are created here.
  `do $$ declare day date; parent text; begin
     for day in select generate_series(current_date - least(:days + 1, 90), current_date, interval '1 day')::date loop
       foreach parent in array array['${PARTITIONED.join("', '")}'] loop
         execute format('create table if not exists webhooks.%I partition of webhooks.%I for values from (%L) to (%L)',
           parent || to_char(day, '_YYYYMMDD'), parent, day, day + 1);
       end loop;
     end loop;
   end $$`,
  ...AUDITED.map(
    (schema) => `
     insert into ${schema}.audit_entry (sequence, at, actor, action, subject, detail, hash)
     select sequence, now() - interval '1 day', 'olga', 'years.filled', gen_random_uuid(), '{}', sha256(int8send(sequence))
     from generate_series((select coalesce(max(sequence), 0) + 1 from ${schema}.audit_entry),
       (select coalesce(max(sequence), 0) + 5000 from ${schema}.audit_entry)) as sequence`,
  ),
  // Files without a line, so that the imports are as many as in years.
  `insert into settlement.import (account_id, mapping, file_name, imported_by, sha256, state, matched_at, ended_at)
   select '${TEST_ACCOUNT_ID}', 'generic', 'empty-' || number, 'olga', sha256(int4send(number)), 'TAKEN', now(), now()
   from generate_series(1, 2000) as number`,
  // Payouts of years, all as their lines say.
  `insert into settlement.payout (account_id, payout_id, currency, due_on, judge, verdict)
   select '${TEST_ACCOUNT_ID}', 'years-' || number, 'TRY', current_date - number, false, 'MATCHED' from generate_series(1, 5000) as number`,
  // Statements of days that had lines once, so that there are as many as in years.
  `insert into settlement.statement (merchant_id, currency, day, revision)
   select gen_random_uuid(), 'TRY', current_date - number % 1000, 1 from generate_series(1, 5000) as number`,
  `insert into settlement.statement_revision (statement_id, revision, sales_minor, refunds_minor, chargebacks_minor,
     adjustments_minor, commission_minor, bank_fees_minor, lines, digest)
   select statement_id, 1, 100000, 0, 0, 0, 25, 10, 1, ${HASH} from settlement.statement`,
  `insert into settlement.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at, publish_attempts, publish_at)
   select uuidv7(- number * interval '5 minutes'), 'settlement.statement_ready', gen_random_uuid(), gen_random_uuid(), 'READY', ${BODY},
     now(), 1, now()
   from generate_series(1, 5000) as number`,
  `insert into payments.rule_counter (merchant_id, kind, subject, attempts, granted, attempts_max, window_seconds, expires_at)
   select gen_random_uuid(), 'CARD', encode(sha256(int4send(number)), 'hex'), '{}', 1, 5, 3600, now() + interval '10 days'
   from generate_series(1, 5000) as number`,
  `insert into payments.rule_attempt (merchant_id, attempted_at, payment_id)
   select gen_random_uuid(), now() - number * interval '1 second', gen_random_uuid() from generate_series(1, 20000) as number`,
  `insert into webhooks.poison (received_at, subject, sequence, reason, data, message_key)
   select now() - number * interval '1 minute', 'years', number, 'no event', '', 'years-' || number from generate_series(1, 5000) as number`,
  `insert into gateway.merchant (name, status) select 'Shop ' || number, 'ACTIVE' from generate_series(1, 2000) as number`,
  `insert into gateway.operator_key (subject, scope, key, fingerprint, resource_id, lease_id, leased_until, answer, created_at)
   select 'olga', 'years', 'years-' || number, ${HASH}, gen_random_uuid(), gen_random_uuid(), now(), '', now() - number * interval '10 seconds'
   from generate_series(1, 20000) as number`,
];
