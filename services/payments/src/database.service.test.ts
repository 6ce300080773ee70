import { createTestDatabase } from "@holdfast/testing";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { PaymentsDatabase } from "./database.ts";

/** Every column as the types have it; the compiler keeps this list and the types the same. */
const COLUMNS: {
  [Table in keyof PaymentsDatabase]: Record<keyof PaymentsDatabase[Table], "null" | "not null">;
} = {
  payment: {
    payment_id: "not null",
    merchant_id: "not null",
    transaction_type: "not null",
    state: "not null",
    version: "not null",
    order_id: "not null",
    customer_id: "null",
    amount_minor: "not null",
    currency: "not null",
    currency_exponent: "not null",
    installment_count: "not null",
    commission_minor: "not null",
    request_ip: "not null",
    request_port: "not null",
    card_holder_name: "not null",
    masked_pan: "not null",
    pan_fingerprint: "not null",
    dom_int: "null",
    card_scheme: "null",
    card_type: "null",
    card_sub_type: "null",
    loyalty_code: "null",
    external_transaction_id: "null",
    auth_code: "null",
    result_code: "null",
    result_message: "null",
    traceparent: "null",
    captured_minor: "not null",
    released_minor: "not null",
    reserved_minor: "not null",
    refunded_minor: "not null",
    operation_id: "null",
    lease_token: "null",
    lease_until: "null",
    recover_at: "null",
    recovery_from: "null",
    recovery_attempts: "not null",
    last_inquiry: "null",
    created_at: "not null",
    updated_at: "not null",
  },
  payment_history: {
    payment_id: "not null",
    version: "not null",
    from_state: "null",
    to_state: "not null",
    cause: "not null",
    at: "not null",
    xact_id: "not null",
  },
  outbox: {
    event_id: "not null",
    occurred_at: "not null",
    event_type: "not null",
    payment_id: "not null",
    merchant_id: "not null",
    status: "not null",
    body: "not null",
    traceparent: "null",
    xact_id: "not null",
    confirmed_at: "null",
    publish_attempts: "not null",
    publish_at: "null",
  },
  bin_import: { version: "not null", ranges: "not null", file_sha256: "not null", imported_at: "not null" },
  bin_range: {
    version: "not null",
    digits: "not null",
    bin_from: "not null",
    bin_to: "not null",
    card_scheme: "not null",
    card_type: "not null",
    card_sub_type: "null",
    issuer: "null",
    country: "not null",
    loyalty_code: "null",
    installments_max: "not null",
  },
  rule_counter: {
    merchant_id: "not null",
    kind: "not null",
    subject: "not null",
    attempts: "not null",
    granted: "not null",
    attempts_max: "not null",
    window_seconds: "not null",
    expires_at: "not null",
  },
  rule_attempt: { merchant_id: "not null", attempted_at: "not null", payment_id: "not null" },
  idempotency_key: {
    merchant_id: "not null",
    scope: "not null",
    key: "not null",
    fingerprint: "not null",
    resource_id: "not null",
    answer: "null",
    created_at: "not null",
  },
  checkout: {
    checkout_id: "not null",
    merchant_id: "not null",
    state: "not null",
    transaction_type: "not null",
    order_id: "not null",
    customer_id: "null",
    amount_minor: "not null",
    currency: "not null",
    currency_exponent: "not null",
    installment_options: "not null",
    three_ds: "not null",
    success_url: "not null",
    failure_url: "not null",
    payment_id: "null",
    attempts: "not null",
    created_at: "not null",
    expires_at: "not null",
    closed_at: "null",
  },
  checkout_payment: { payment_id: "not null", checkout_id: "not null", attempt: "not null" },
  payment_resolution: {
    payment_id: "not null",
    outcome: "not null",
    evidence: "not null",
    proposed_by: "not null",
    proposed_at: "not null",
  },
  payment_operation: {
    operation_id: "not null",
    payment_id: "not null",
    kind: "not null",
    amount_minor: "not null",
    commission_minor: "not null",
    reason: "null",
    state: "not null",
    result_code: "null",
    result_message: "null",
    traceparent: "null",
    created_at: "not null",
    finished_at: "null",
  },
  refund_reservation: {
    refund_id: "not null",
    payment_id: "not null",
    merchant_id: "null",
    amount_minor: "not null",
    kind: "null",
    state: "not null",
    refusal: "null",
    created_at: "not null",
    ended_at: "null",
  },
  three_ds_session: {
    payment_id: "not null",
    session_id: "not null",
    expires_at: "not null",
    success_url: "not null",
    failure_url: "not null",
    page_url: "not null",
    acquirer_session: "null",
    challenge_url: "null",
    challenge_fields: "null",
    trans_status: "null",
    eci: "null",
    ds_trans_id: "null",
    created_at: "not null",
  },
  audit_entry: {
    sequence: "not null",
    at: "not null",
    actor: "not null",
    action: "not null",
    subject: "not null",
    detail: "not null",
    hash: "not null",
  },
};

test("the tables' types are what the migrations make", async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
  const { rows } = await client.query<{ table_name: string; column_name: string; is_nullable: "YES" | "NO" }>(
    `select table_name, column_name, is_nullable from information_schema.columns
     where table_schema = 'payments' and table_name not like 'migration%'`,
  );
  const found: Record<string, Record<string, string>> = {};
  for (const { table_name, column_name, is_nullable } of rows) {
    (found[table_name] ??= {})[column_name] = is_nullable === "YES" ? "null" : "not null";
  }
  for (const [table, columns] of Object.entries(COLUMNS)) expect(found[table]).toMatchObject(columns);
  await client.end();
  await database.drop();
});

test("the service's role can neither rewrite history nor audit nor an event's body", async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.urls.payments.app });
  await client.connect();
  for (const statement of [
    "update payments.payment_history set cause = ''",
    "delete from payments.payment_history",
    "truncate payments.payment_history",
    "update payments.audit_entry set actor = ''",
    "delete from payments.audit_entry",
    "truncate payments.audit_entry",
    "update payments.outbox set body = ''",
    "delete from payments.outbox",
    "delete from payments.payment",
    "update payments.three_ds_session set success_url = ''",
    "update payments.three_ds_session set session_id = gen_random_uuid()",
    "delete from payments.three_ds_session",
    "create table payments.x ()",
    "alter table payments.payment add column x int",
    "drop table payments.payment",
    "select * from gateway.merchant",
  ]) {
    await expect(client.query(statement), statement).rejects.toMatchObject({ code: "42501" });
  }
  await client.end();
  await database.drop();
});
