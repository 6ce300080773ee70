import { afterAll, beforeAll, expect, test } from "vitest";
import { captureLog, eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** What the events of payments and refunds have told settlement is compared with what these have. */
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
        FACT_COMPARE_SPAN: "1h",
      },
    },
  });
});
afterAll(() => system.close());

const isFact = (id: string, fact: object) =>
  eventually(async () => expect(await system.fact(id)).toMatchObject({ account_id: "default", ...fact }));
const differing = () =>
  captured.lines
    .filter(({ msg }) => msg === "facts are not what their owner says")
    .map(({ subject }) => subject);

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
