import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureLog, eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** Compares settlement's facts with the records of payments and refunds. */
let system: SettlementHarness;
const captured = captureLog("settlement");
beforeAll(async () => {
  system = await startSettlementHarness({
    withBusUsers: true,
    log: () => captured.log,
    envOf: {
      settlement: {
        FEED_INTERVAL: "50ms",
        FACT_COMPARE_INTERVAL: "100ms",
      },
    },
  });
});
afterAll(() => system.close());

const isFact = (id: string, fact: object) =>
  eventually(async () =>
    expect(await system.fact(id)).toMatchObject({ account_id: TEST_ACCOUNT_ID, ...fact }),
  );
const found = (outcome: string) =>
  captured.lines
    .filter(({ msg, reason }) => msg === "facts are not what their owner has" && reason === outcome)
    .flatMap(({ subject }) => String(subject).split(" "));

test("what the feed has left out is reported, and read again", async () => {
  const sale = await system.sell("1250");
  const refund = await system.refund(sale, "250");
  const authorization = await system.authorize("10000");
  await isFact(refund, { standing: "DONE" });
  await isFact(authorization, { standing: "OPEN" });
  const left = [
    [sale, { kind: "SALE", standing: "DONE", amount_minor: "1250" }],
    [refund, { kind: "REFUND", standing: "DONE", amount_minor: "250" }],
  ] as const;
  for (const [id, fact] of left)
    // The feed brings a fact again by itself where its owner has written the row once more.
    await eventually(async () => {
      await system.query("delete from settlement.fact where fact_id = $1", [id]);
      await isFact(id, fact);
      expect(found("mended")).toContain(id);
    });

  // A change that the feed brings is no difference, however often it is compared meanwhile.
  await system.capture(authorization, "70.00");
  await isFact(authorization, { kind: "CAPTURE", standing: "DONE", amount_minor: "7000" });
  expect(found("mended")).not.toContain(authorization);
  expect(found("differing")).toEqual([]);
});

test("a payment whose outcome is unknown is recorded without a report", async () => {
  const [sale, copy] = [await system.sell("777"), randomUUIDv7()];
  await system.query(
    "insert into payments.payment select (jsonb_populate_record(payment, $2)).* from payments.payment where payment_id = $1",
    [sale, JSON.stringify({ payment_id: copy, state: "AUTHORIZING", version: 1 })],
  );
  await isFact(copy, { standing: "OPEN" });
  expect(found("mended")).not.toContain(copy);
});

test("what is not as its owner says, and does not become so, is reported until people have mended it", async () => {
  const sale = await system.sell("4321");
  await isFact(sale, { standing: "DONE" });
  await system.query("update settlement.fact set amount_minor = 4322 where fact_id = $1", [sale]);
  await eventually(() => expect(found("differing")).toContain(sale));
  expect(await system.fact(sale)).toMatchObject({ amount_minor: "4322" });
  await system.query("update settlement.fact set amount_minor = 4321 where fact_id = $1", [sale]);
});

test("an answer is a page, and the next one begins where it ended", async () => {
  const merchant = (
    await system.query<{ id: string }>("select merchant_id as id from payments.payment limit 1")
  )[0]!;
  const made = await system.query<{ payment_id: string }>(
    `insert into payments.payment select (jsonb_populate_record(payment, jsonb_build_object('payment_id', uuidv7(- interval '10 minutes'),
       'order_id', 'page-' || nth))).*
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

test("what an owner has moved and does not know, restored to an earlier time, is reported with its id", async () => {
  const [sale, refunded] = [await system.sell("2500"), await system.sell("2600")];
  const refund = await system.refund(refunded, "100");
  for (const id of [sale, refunded, refund]) await isFact(id, {});
  await system.query(
    "with forgotten as (delete from refunds.refund_history where refund_id = $1), approval as (delete from refunds.refund_approval where refund_id = $1) delete from refunds.refund where refund_id = $1",
    [refund],
  );
  await eventually(() => expect(found("unknown")).toContain(refund));
  expect(found("unknown")).not.toContain(sale);
  expect(found("unknown")).not.toContain(refunded);
  expect(await system.fact(refund)).toBeDefined();
});

test("of more than a page of facts that are here alone each is reported, and so is what follows them", async () => {
  const rows = await system.query<{ id: string }>(
    `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
       order_id, masked_pan)
     select uuidv7(- interval '20 minutes'), '${TEST_ACCOUNT_ID}', $1::uuid, 'SALE', 'DONE', 1, 'TRY', now(), 1, 'o', '411111******1111'
     from generate_series(1, 2100)
     union all
     select uuidv7(- interval '15 minutes'), '${TEST_ACCOUNT_ID}', $1::uuid, 'SALE', 'DONE', 1, 'TRY', now(), 1, 'o', '411111******1111'
     returning fact_id as id`,
    [system.merchantId],
  );
  await eventually(() => {
    const unknown = new Set(found("unknown"));
    expect(rows.filter(({ id }) => !unknown.has(id))).toEqual([]);
  });
});
