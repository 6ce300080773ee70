// Remains of a person after `npm run erase`: every column of every table of every schema is searched.
import { randomUUID } from "node:crypto";
import { verifyAudit } from "@holdfast/audit";
import { operations, testIdOf } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { erase } from "../../tools/installation/src/erasure/erase-command.ts";
import { startErasureHarness, WORD, type ErasureHarness } from "./erasure-harness.ts";

let system: ErasureHarness;
beforeAll(async () => {
  system = await startErasureHarness();
});
afterAll(() => system.close());

test("nothing of a person is left but the money, which is as it was", async () => {
  const customerId = `customer-${WORD}`;
  const paymentId = await system.live(customerId);

  const before = await system.columnsWith(WORD);
  expect(before).toEqual(COLUMNS_OF_A_PERSON);
  expect(await system.inEventStream(WORD)).toBe(true);
  const money = await system.moneyOf(paymentId);

  // The refund's events are still young in the second round.
  for (const _round of ["payments", "refunds"]) {
    const young = await system.run(customerId);
    expect(young.code).toBe(1);
    expect(young.text).toContain("are in the event stream");
    expect(await system.columnsWith(WORD)).toEqual(before);
    await system.ageEvents("payments");
  }
  await system.ageEvents();
  const erased = await system.run(customerId, "--reason", "request 17");
  expect(erased.text).toContain(": 1 payments, 1 refunds, 2 checkouts erased");
  expect(erased.code).toBe(0);
  expect(await system.columnsWith(WORD)).toEqual([]);
  expect(await system.moneyOf(paymentId)).toEqual(money);

  const entries = await system.query<{ detail: string }>(`
    select detail, sequence, 1 as chain from payments.audit_entry where action = 'customer.erased' union all
    select detail, sequence, 2 from refunds.audit_entry where action = 'customer.erased' union all
    select detail, sequence, 3 from webhooks.audit_entry where action = 'customer.erased'
    order by chain, sequence`);
  // The checkouts have an entry of their own.
  expect(entries.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
    { merchantId: system.merchantId, reason: "request 17", payments: 1, refunds: 1 },
    { merchantId: system.merchantId, reason: "request 17", checkouts: 2 },
    { merchantId: system.merchantId, reason: "request 17", payments: 1, refunds: 1 },
    { merchantId: system.merchantId, reason: "request 17", payments: 1, refunds: 1 },
    { merchantId: system.merchantId, reason: "request 17", checkouts: 2 },
  ]);
  const { database } = system;
  expect(await verifyAudit(["--database-url", database.superuserUrl], {}, () => {})).toBe(0);

  expect(await system.run(customerId)).toEqual({
    code: 0,
    text: "nothing is stored about this customer of this merchant\n",
  });
});

test("a customer in test mode is erased with the merchant's others; other customers, and another merchant's customer of the same id, stay as they are", async () => {
  const customerId = randomUUID();
  const [mine, tested, others, strangers] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await system.sell({ paymentId: mine, customerId });
  await system.sell({ paymentId: others, customerId: randomUUID() });
  const copy = (paymentId: string, merchantId: string, accountId: string) =>
    system.query(
      `insert into payments.payment select (jsonb_populate_record(payment, jsonb_build_object(
         'payment_id', $2::uuid, 'merchant_id', $3::uuid, 'account_id', $4::uuid))).*
       from payments.payment where payment_id = $1`,
      [mine, paymentId, merchantId, accountId],
    );
  await copy(strangers, randomUUID(), randomUUID());
  await copy(tested, testIdOf(system.merchantId), testIdOf(randomUUID()));
  const rows = () =>
    system.query("select * from payments.payment where payment_id = any($1) order by payment_id", [
      [others, strangers],
    ]);
  const untouched = await rows();
  await system.ageEvents();
  expect((await system.run(customerId)).code).toBe(0);
  expect(await rows()).toEqual(untouched);
  expect(
    await system.query(
      "select customer_id, card_holder_name, request_ip, request_port, pan_fingerprint from payments.payment where payment_id = any($1)",
      [[mine, tested]],
    ),
  ).toEqual(
    Array.from({ length: 2 }, () => ({
      customer_id: "erased",
      card_holder_name: "erased",
      request_ip: "0.0.0.0",
      request_port: 1,
      pan_fingerprint: null,
    })),
  );
});

test("an event is erased that the dispatcher does not have, and one of another time than its payment", async () => {
  const [customerId, unknown, misdated] = [randomUUID(), randomUUID(), randomUUID()];
  await system.sell({ paymentId: unknown, customerId });
  await system.sell({ paymentId: misdated, customerId });
  await system.ageEvents();
  await system.query("delete from webhooks.event where payment_id = $1", [unknown]);
  await system.query("update payments.payment_history set at = at - interval '1 day' where payment_id = $1", [
    misdated,
  ]);
  expect((await system.run(customerId)).text).toContain(": 2 payments");
  const bodies = await system.query<{ body: Buffer }>(
    "select body from payments.outbox where payment_id in ($1, $2)",
    [unknown, misdated],
  );
  expect(
    bodies.map(({ body }) => (JSON.parse(body.toString()) as { customerId: string }).customerId),
  ).toEqual(["erased", "erased"]);
});

test("the events of checkouts are erased, also of one that was never paid or is not kept any more", async () => {
  const customerId = `buyer "${randomUUID()}"`;
  const [paid, cancelled] = await system.checkOut(customerId);
  const strangers = await system.checkOut(randomUUID());
  const bodies = (schema: string, ids: string[]) =>
    system.query<{ body: string }>(
      `select convert_from(body, 'UTF8') as body from ${schema} where payment_id = any($1) order by event_id`,
      [ids],
    );
  const untouched = await bodies("webhooks.event", strangers);
  await system.ageEvents();
  await system.query(
    "update payments.outbox set confirmed_at = null, publish_attempts = 1, publish_at = 'infinity' where payment_id = $1",
    [cancelled],
  );
  // After the retention period only the events are left.
  await system.query("delete from payments.checkout where checkout_id = $1", [cancelled]);
  expect(await system.run(customerId)).toMatchObject({
    code: 1,
    text: expect.stringContaining("events are not confirmed"),
  });
  await system.query(
    "update payments.outbox set confirmed_at = now() - interval '26 hours' where payment_id = $1",
    [cancelled],
  );
  expect((await system.run(customerId)).text).toContain(": 1 payments, 0 refunds, 2 checkouts erased");

  for (const table of ["payments.outbox", "webhooks.event"]) {
    const of = await bodies(table, [paid, cancelled]);
    expect(of.map(({ body }) => (JSON.parse(body) as { customerId: string }).customerId)).toEqual([
      "erased",
      "erased",
    ]);
    expect(JSON.stringify(of)).not.toMatch(/buyer|Zekiye/);
  }
  expect(await bodies("webhooks.event", strangers)).toEqual(untouched);
});

test("an event of a chargeback is erased that the dispatcher does not have, also once the bank has given back what was lost", async () => {
  const [customerId, paymentId, chargebackId] = [randomUUID(), randomUUID(), randomUUID()];
  await system.sell({ paymentId, customerId });
  const sum = { amountMinor: "1250", currency: "TRY" };
  expect(
    (await system.operate(operations.openChargeback.command, { chargebackId, paymentId, ...sum })).outcome,
  ).toBe("done");
  const lost = { chargebackId, outcome: "LOST", reason: "The bank wrote so." } as const;
  expect((await system.operate(operations.decideChargeback.command, lost)).outcome).toBe("done");
  // The checkout ended at another time than in the first event.
  await system.query(
    "update payments.chargeback set created_at = created_at - interval '3 days', ended_at = ended_at + interval '1 day' where chargeback_id = $1",
    [chargebackId],
  );
  await system.ageEvents();
  await system.query("update payments.payment_history set at = at - interval '1 day' where payment_id = $1", [
    paymentId,
  ]);
  await system.query(
    "delete from webhooks.event where payment_id = $1 and event_type = 'payment.chargeback'",
    [paymentId],
  );
  expect((await system.run(customerId)).text).toContain(": 1 payments");
  const bodies = await system.query<{ body: string }>(
    "select convert_from(body, 'UTF8') as body from payments.outbox where payment_id = $1",
    [paymentId],
  );
  expect(bodies).toHaveLength(3);
  expect(JSON.stringify(bodies)).not.toContain(customerId);
});

const WEBHOOK_WAITS = `with shop as (
       insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id, state)
       select merchant_id, merchant_id, 'https://shop.example/', decode(repeat('00', 40), 'hex'), '', 'on' from webhooks.event where payment_id = $1
       on conflict (endpoint_id) do update set state = 'on' returning merchant_id)
     insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, merchant_id, 'infinity', 'infinity' from webhooks.event join shop using (merchant_id) where payment_id = $1
     on conflict do nothing`;

test.each<[what: string, obstacle: string, message: string]>([
  [
    "a payment is not settled",
    "update payments.payment set recover_at = 'infinity' where payment_id = $1",
    "payments are not settled",
  ],
  [
    "an operation is under way",
    "update payments.payment set operation_id = gen_random_uuid() where payment_id = $1",
    "payments are not settled",
  ],
  [
    "two operators are about to settle it",
    "insert into payments.payment_resolution (payment_id, outcome, evidence, proposed_by) values ($1, 'FAILED', 'call', 'olga')",
    "payments are not settled",
  ],
  [
    "the bank is looked at once more",
    "insert into payments.payment_watch (payment_id, due_at) values ($1, 'infinity')",
    "payments are not settled",
  ],
  [
    "a refund has reserved an amount",
    "insert into payments.refund_reservation (refund_id, payment_id, amount_minor, state) values (gen_random_uuid(), $1, 1, 'ACTIVE')",
    "refunds have reserved an amount",
  ],
  [
    "a refund waits for its reservation",
    `insert into refunds.refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency, currency_exponent, recover_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'RESERVING', 0, 1, 'TRY', 2, 'infinity'`,
    "refunds are not decided",
  ],
  [
    "an event is not confirmed",
    "update payments.outbox set confirmed_at = null, publish_attempts = 1, publish_at = 'infinity' where payment_id = $1",
    "events are not confirmed",
  ],
  ["a webhook is not delivered", WEBHOOK_WAITS, "webhooks are not delivered"],
  [
    "a checkout is open",
    `insert into payments.checkout (checkout_id, merchant_id, state, transaction_type, order_id, customer_id, amount_minor, currency,
       currency_exponent, installment_options, three_ds, success_url, failure_url, expires_at)
     select gen_random_uuid(), merchant_id, 'OPEN', 'PAYMENT', 'order-1', customer_id, 1, 'TRY', 2, '{1}', false, 'https://a.example/',
       'https://a.example/', 'infinity' from payments.payment where payment_id = $1`,
    "checkouts are open",
  ],
])("is refused, and changes nothing, while %s", async (_, obstacle, message) => {
  const [customerId, paymentId] = [randomUUID(), randomUUID()];
  await system.sell({ paymentId, customerId });
  await system.sell({ paymentId: randomUUID(), customerId });
  await system.ageEvents();
  // Background work does not change the planted row: no endpoint is turned off, and nothing becomes due.
  await system.query(obstacle, [paymentId]);
  const { code, text } = await system.run(customerId);
  expect(text).toContain(message);
  expect(code).toBe(1);
  const [named] = await system.query<{ count: number }>(
    "select count(*)::int as count from payments.payment where customer_id = $1",
    [customerId],
  );
  expect(named!.count).toBe(2);
});

test("is refused while a webhook of a checkout is not delivered", async () => {
  const customerId = randomUUID();
  const [paid] = await system.checkOut(customerId);
  await system.ageEvents();
  await system.query(WEBHOOK_WAITS, [paid]);
  const { code, text } = await system.run(customerId);
  expect(text).toContain("webhooks are not delivered");
  expect(code).toBe(1);
  expect(
    await system.query("select from payments.checkout where customer_id = $1", [customerId]),
  ).toHaveLength(2);
});

test.each<[args: string[], message: string]>([
  [[], "--customer is required"],
  [["--customer", "a"], "--merchant must be a merchant's id"],
  [
    ["--customer", "erased", "--merchant", "00000000-0000-7000-8000-000000000000"],
    "is the marker of every customer who was erased",
  ],
])("arguments %j are refused with an explanation", async (args, message) => {
  await expect(erase(args, {}, () => {})).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(message),
  });
});

/**
 * The columns in which this test's flows leave personal data. A table that a service adds has to be searched
 * and erased, too.
 */
const COLUMNS_OF_A_PERSON = [
  "payments.chargeback.bank_reference",
  "payments.chargeback.outcome_reason",
  "payments.chargeback.reason_code",
  "payments.chargeback_evidence.file_name",
  "payments.chargeback_evidence_part.content",
  "payments.checkout.customer_id",
  "payments.checkout.failure_url",
  "payments.checkout.success_url",
  "payments.idempotency_key.answer",
  "payments.outbox.body",
  "payments.payment.card_holder_name",
  "payments.payment.customer_id",
  "payments.payment_operation.reason",
  "payments.three_ds_session.acquirer_session",
  "payments.three_ds_session.challenge",
  "payments.three_ds_session.failure_url",
  "payments.three_ds_session.page_url",
  "payments.three_ds_session.success_url",
  "refunds.idempotency_key.answer",
  "refunds.outbox.body",
  "refunds.refund.card_holder_name",
  "refunds.refund.customer_id",
  "refunds.refund.rejection_reason",
  "refunds.refund.request_reason",
  "refunds.refund_approval.note",
  "settlement.difference.reason",
  "settlement.difference_note.note",
  "webhooks.attempt.snippet",
  "webhooks.event.body",
  "webhooks.poison.data",
];
