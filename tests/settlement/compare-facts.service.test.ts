import { afterAll, beforeAll, expect, test } from "vitest";
import { captureLog, eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** Compares settlement's facts, from the events of payments and refunds, with the records of these two. */
let system: SettlementHarness;
const captured = captureLog("settlement");
beforeAll(async () => {
  system = await startSettlementHarness({
    withBusUsers: true,
    log: () => captured.log,
    envOf: {
      settlement: {
        FACT_ASK_INTERVAL: "50ms",
        FACT_ASK_FIRST: "1h",
        FACT_COMPARE_INTERVAL: "100ms",
        FACT_COMPARE_SPAN: "365d",
      },
    },
  });
});
afterAll(() => system.close());

const isFact = (id: string, fact: object) =>
  eventually(async () => expect(await system.fact(id)).toMatchObject({ account_id: "default", ...fact }));
const named = (message: string) => () =>
  captured.lines.filter(({ msg }) => msg === message).flatMap(({ subject }) => String(subject).split(" "));
const differing = named("facts are not what their owner says");
const unknown = named("an owner does not know what it has moved");

test("what settlement never got is asked for, of a page's end too, and so is what changed without an event", async () => {
  const sale = await system.sell("1250");
  const refund = await system.refund(sale, "250");
  const authorization = await system.authorize("10000");
  for (const id of [sale, refund, authorization]) await isFact(id, {});
  await isFact(refund, { standing: "DONE" });
  // As if their events had been lost with the stream.
  await system.query("delete from settlement.fact where fact_id = any($1)", [[sale, refund]]);
  await system.capture(authorization, "70.00");

  await isFact(sale, { kind: "SALE", standing: "DONE", amount_minor: "1250" });
  await isFact(refund, { kind: "REFUND", standing: "DONE", amount_minor: "250" });
  // Its owner is asked by the schedule in an hour.
  await isFact(authorization, { kind: "CAPTURE", standing: "DONE", amount_minor: "7000" });
  expect(differing()).toEqual([]);
});

test("what is not as its owner says, and does not become so, is told until people have mended it", async () => {
  const sale = await system.sell("4321");
  await isFact(sale, { standing: "DONE" });
  await system.query("update settlement.fact set amount_minor = 4322 where fact_id = $1", [sale]);
  await eventually(() => expect(differing()).toContain(sale));
  expect(await system.fact(sale)).toMatchObject({ amount_minor: "4322" });
  await system.query("update settlement.fact set amount_minor = 4321 where fact_id = $1", [sale]);
});

test("an answer is a page, and the next one begins where it ended", async () => {
  const merchant = (
    await system.query<{ id: string }>("select merchant_id as id from payments.payment limit 1")
  )[0]!;
  const made = await system.query<{ payment_id: string }>(
    `insert into payments.payment select (jsonb_populate_record(payment, jsonb_build_object('payment_id', gen_random_uuid(),
       'order_id', 'page-' || nth, 'created_at', now() - interval '10 minutes'))).*
     from (select payment from payments.payment where merchant_id = $1 and state = 'SUCCESS' limit 1) as one,
       generate_series(1, 1100) as nth
     returning payment_id`,
    [merchant.id],
  );
  await eventually(async () => {
    const [row] = await system.query<{ count: number }>(
      "select count(*)::int from settlement.fact where fact_id = any($1)",
      [made.map(({ payment_id }) => payment_id)],
    );
    expect(row!.count).toBe(1_100);
  });
});

/** A fact of a payment that payments never had, or has in an archive, as long ago as `past` says. */
async function plantFact(past: string): Promise<string> {
  const [row] = await system.query<{ id: string }>(
    `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
       order_id, masked_pan)
     values (uuidv7(- $1::interval), 'default', $2, 'SALE', 'DONE', 1, 'TRY', now(), 1, 'o', '411111******1111')
     returning fact_id as id`,
    [past, system.merchantId],
  );
  return row!.id;
}

test("what an owner has moved and does not know, restored to an earlier time, is told with its id", async () => {
  const [sale, refunded] = [await system.sell("2500"), await system.sell("2600")];
  const refund = await system.refund(refunded, "100");
  for (const id of [sale, refunded, refund]) await isFact(id, {});
  await system.query(
    "with forgotten as (delete from refunds.refund_history where refund_id = $1), approval as (delete from refunds.refund_approval where refund_id = $1) delete from refunds.refund where refund_id = $1",
    [refund],
  );
  await eventually(() => expect(unknown()).toContain(refund));
  expect(unknown()).not.toContain(sale);
  expect(unknown()).not.toContain(refunded);
  expect(await system.fact(refund)).toBeDefined();
});

test("of what is here each page is asked about, and what may have been archived is not", async () => {
  const archived = await plantFact("190 days");
  const sale = await system.sell("1");
  // The first page is full of facts that payments knows.
  await system.query(
    `with known as (
       insert into payments.payment select (jsonb_populate_record(payment, jsonb_build_object('payment_id',
         uuidv7(- interval '20 minutes'), 'order_id', 'here-' || nth, 'created_at', now() - interval '20 minutes'))).*
       from (select payment from payments.payment where payment_id = $2) as one, generate_series(1, 250) as nth
       returning payment_id)
     insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
       order_id, masked_pan)
     select payment_id, 'default', $1, 'SALE', 'DONE', 1, 'TRY', now(), 1, 'o', '411111******1111' from known`,
    [system.merchantId, sale],
  );
  const behind = await plantFact("15 minutes");
  await eventually(() => expect(unknown()).toContain(behind));
  expect(unknown()).not.toContain(archived);
});
