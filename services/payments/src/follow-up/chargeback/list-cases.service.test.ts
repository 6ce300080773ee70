import { randomUUIDv7 } from "node:crypto";
import { testIdOf } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { PaymentsDatabase } from "../../database.ts";
import { listCases } from "./chargeback-handlers.ts";

test("a merchant's case is found by its payment in either mode, and in no other way outside its mode", async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.urls.payments.owner, max: 1 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const merchantId = randomUUIDv7();
  const disputed = async (owner: string) => {
    const [paymentId, caseId] = [randomUUIDv7(), randomUUIDv7()];
    const accountId = owner === merchantId ? randomUUIDv7() : testIdOf(randomUUIDv7());
    await pool.query(
      `insert into payment (payment_id, merchant_id, account_id, transaction_type, state, version, order_id, amount_minor,
         currency, currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name,
         masked_pan, pan_fingerprint, pan_fingerprint_key_id, refunds_commission)
       values ($1, $2, $3, 'PAYMENT', 'SUCCESS', 2, 'order-1', 100, 'TRY', 2, 1, 0, '203.0.113.7', 4711, 'A Buyer',
         '411111******1111', decode(repeat('00', 32), 'hex'), '0', true)`,
      [paymentId, owner, accountId],
    );
    await pool.query(
      `insert into chargeback (chargeback_id, payment_id, merchant_id, amount_minor, currency, counted_minor, excess_minor)
       values ($1, $2, $3, 1, 'TRY', 1, 0)`,
      [caseId, paymentId, owner],
    );
    return { paymentId, caseId };
  };
  const [live, tested] = [await disputed(merchantId), await disputed(testIdOf(merchantId))];
  const db = createDatabase<PaymentsDatabase>(pool);
  const listed = async (asked: { merchantId: string; paymentId?: string; livemode?: boolean }) => {
    const reply = await listCases({ db }, { limit: 10, ...asked });
    return "result" in reply ? reply.result.items.map(({ chargebackId }) => chargebackId) : reply;
  };
  expect(await listed({ merchantId, livemode: true })).toEqual([live.caseId]);
  expect(await listed({ merchantId: testIdOf(merchantId), livemode: false })).toEqual([tested.caseId]);
  for (const asker of [merchantId, testIdOf(merchantId)]) {
    expect(await listed({ merchantId: asker, paymentId: live.paymentId })).toEqual([live.caseId]);
    expect(await listed({ merchantId: asker, paymentId: tested.paymentId })).toEqual([tested.caseId]);
  }
  expect(await listed({ merchantId: randomUUIDv7(), paymentId: tested.paymentId })).toEqual([]);
});
