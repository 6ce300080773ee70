import { columnsOf, createTestDatabase } from "@holdfast/tests/support";
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { RefundsDatabase } from "./database.ts";

/** Every column as the types have it; the compiler keeps this list and the types the same. */
const COLUMNS: {
  [Table in keyof RefundsDatabase]: Record<keyof RefundsDatabase[Table], "null" | "not null">;
} = {
  refund: {
    refund_id: "not null",
    payment_id: "not null",
    account_id: "null",
    merchant_id: "not null",
    state: "not null",
    version: "not null",
    state_since: "not null",
    amount_minor: "not null",
    currency: "not null",
    currency_exponent: "not null",
    requested_by: "null",
    request_reason: "null",
    credential_issued_by: "null",
    kind: "null",
    order_id: "null",
    customer_id: "null",
    installment_count: "null",
    card_holder_name: "null",
    masked_pan: "null",
    dom_int: "null",
    card_scheme: "null",
    card_type: "null",
    card_sub_type: "null",
    loyalty_code: "null",
    rejected_by: "null",
    rejection_reason: "null",
    external_transaction_id: "null",
    auth_code: "null",
    result_code: "null",
    result_message: "null",
    traceparent: "null",
    lease_token: "null",
    lease_until: "null",
    recover_at: "null",
    recovery_attempts: "not null",
    last_inquiry: "null",
    notified_at: "null",
    bank_reference: "null",
    approved_minor: "null",
    approved_currency: "null",
    as_void: "not null",
    approvals_required: "null",
    created_at: "not null",
    updated_at: "not null",
  },
  refund_history: {
    refund_id: "not null",
    version: "not null",
    from_state: "not null",
    to_state: "not null",
    cause: "not null",
    at: "not null",
    xact_id: "not null",
  },
  refund_approval: {
    refund_id: "not null",
    approved_by: "not null",
    note: "null",
    at: "not null",
    request_id: "not null",
  },
  refund_resolution: {
    refund_id: "not null",
    outcome: "not null",
    evidence: "not null",
    proposed_by: "not null",
    proposed_at: "not null",
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
  idempotency_key: {
    merchant_id: "not null",
    scope: "not null",
    key: "not null",
    fingerprint: "not null",
    resource_id: "not null",
    answer: "null",
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
  expect(await columnsOf(database, "refunds")).toEqual(COLUMNS);
  await database.drop();
});

test("a refund is shown with the account that it is paid from, or not at all", async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.urls.refunds.owner });
  await client.connect();
  const shown = `insert into refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency,
      currency_exponent, kind, order_id, installment_count, card_holder_name, masked_pan, account_id)
    values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'PENDING_APPROVAL', 1, 1, 'TRY', 2, 'refund', 'order', 1,
      'A Buyer', '411111******1111', $1)`;
  await client.query(shown, [randomUUID()]);
  await expect(client.query(shown, [null])).rejects.toMatchObject({
    constraint: "refund_reserved_is_described",
  });
  await client.end();
  await database.drop();
});

test("a refund that was ever shown cannot be deleted: its history holds it", async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.urls.refunds.app });
  await client.connect();
  await client.query(
    `insert into refund (refund_id, payment_id, merchant_id, version, amount_minor, currency, currency_exponent, recover_at)
     values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, 1, 'TRY', 2, now())`,
  );
  await client.query(
    `insert into refund_history (refund_id, version, from_state, to_state, cause)
     select refund_id, 1, 'RESERVING', 'PENDING_APPROVAL', 'reserved' from refund`,
  );
  await expect(client.query("delete from refund")).rejects.toMatchObject({ code: "23503" });
  await client.end();
  await database.drop();
});
