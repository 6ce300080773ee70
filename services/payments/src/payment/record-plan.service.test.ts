import { randomUUID } from "node:crypto";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, executeBatch, measurePlan } from "@holdfast/tests/support";
import type { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { RECORD, RECORD_COLUMNS } from "./payment-statements.ts";
import { WRITE_SETTINGS } from "./payment-writes.ts";

const FEW = 16;
const MANY = 64;

type Claimed = { payment_id: string; lease_token: string };

test.each(["plain", "keyed"] as const)(
  "a %s record of a batch compares no payment with each of the others",
  async (kind) => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    await withClient(database.urls.payments.owner, async (owner) => {
      for (const [name, setting] of Object.entries(WRITE_SETTINGS)) {
        await owner.query("select set_config($1, $2, false)", [name, setting]);
      }
      await owner.query(`prepare record as ${RECORD[kind].text}`);
      await recordedRows(owner, []);
      const claimed = await insertClaimed(owner, MANY);
      const few = await recordedRows(owner, claimed.slice(0, FEW));
      expect(few).toBeGreaterThan(FEW);
      // Linear work grows by four; where each is compared with each it grows by sixteen.
      expect(await recordedRows(owner, claimed)).toBeLessThan(6 * few);
    });
  },
);

async function insertClaimed(owner: Client, count: number): Promise<Claimed[]> {
  const { rows } = await owner.query<Claimed>(
    `with claimed as (insert into payment (payment_id, merchant_id, transaction_type, state, version, order_id, amount_minor, currency,
      currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name, masked_pan,
      pan_fingerprint, lease_token, lease_until, recover_at, claims_order, refunds_commission, pan_fingerprint_key_id, account_id)
    select gen_random_uuid(), gen_random_uuid(), 'PAYMENT', 'AUTHORIZING', 1, 'order ' || n, 100, 'TRY', 2, 1, 0,
      '203.0.113.7', 443, 'Ada Lovelace', '411111******1111', decode(repeat('00', 32), 'hex'), gen_random_uuid(), now(),
      now(), true, true, '0', gen_random_uuid()
    from generate_series(1, $1::integer) n
    returning payment_id, account_id, lease_token
    ), begun as (
      insert into bank_call (payment_id, account_id, number, kind, reference, amount_minor, currency)
      select payment_id, account_id, 1, 'sale', payment_id::text, 100, 'TRY' from claimed
    )
    select * from claimed`,
    [count],
  );
  return rows;
}

/** Rows that a record of these payments reads, by the plan that its connection has kept; it is rolled back. */
async function recordedRows(owner: Client, claimed: Claimed[]): Promise<number> {
  const rows = claimed.map((payment) => ({
    ...payment,
    from: "AUTHORIZING",
    to: "SUCCESS",
    version: 2,
    state_since: new Date(),
    cause: "approved",
    external_transaction_id: randomUUID(),
    result_code: "00",
    result_message: "Approved",
    webhook_body: Buffer.from("{}"),
    call_outcome: "approved",
    event_type: "payment.status_changed",
    keyed: true,
  }));
  const text = executeBatch("record", { before: [10_000], columns: RECORD_COLUMNS, rows });
  return (await measurePlan(owner, { text })).rows;
}
