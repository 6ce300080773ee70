import { randomUUIDv7 } from "node:crypto";
import { operations, testIdOf } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createBusinessEvents } from "../../services/settlement/src/business-events.ts";
import type { SettlementDatabase } from "../../services/settlement/src/database.ts";
import { followFeed, watchFeed } from "../../services/settlement/src/facts/follow-feed.ts";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { captureLog, eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
const captured = captureLog("settlement");
beforeAll(async () => {
  system = await startSettlementHarness({ withBusUsers: true, log: () => captured.log });
});
afterAll(() => system.close());

const expectFact = (id: string, fact: object) =>
  eventually(async () =>
    expect(await system.fact(id)).toMatchObject({ account_id: TEST_ACCOUNT_ID, ...fact }),
  );

/** Waits until all is here that the owners have committed before. */
async function everythingIsRead({ query }: Pick<SettlementHarness, "query"> = system): Promise<void> {
  const [now] = await query<{ now: Date }>("select clock_timestamp() as now");
  await eventually(async () =>
    expect(await query("select from settlement.feed where complete_at < $1", [now!.now])).toEqual([]),
  );
}

test("a sale is a fact with its account and its commission", async () => {
  const paymentId = await system.sell("1250");
  await expectFact(paymentId, { kind: "SALE", standing: "DONE", amount_minor: "1250" });
  const [row] = await system.query(
    "select commission_minor, refunds_commission from settlement.fact where fact_id = $1",
    [paymentId],
  );
  expect(row).toEqual({ commission_minor: expect.any(String), refunds_commission: expect.any(Boolean) });
});

test("a declined payment is a fact of no money", async () => {
  const command = system.command({ cardData: { pan: "4000000000000002" } });
  await system.call(operations.pay.command, command);
  await expectFact(command.paymentId, { kind: "SALE", standing: "NOT_DONE" });
});

test("a voided sale has the time of the sale, also where the sale itself was never known", async () => {
  const paymentId = await system.sell();
  await everythingIsRead();
  const times = "select occurred_at::text as at from settlement.fact where fact_id = $1";
  const [sold] = await system.query<{ at: string }>(times, [paymentId]);
  await system.query(
    "update payments.payment_history set at = at - interval '1 day' where payment_id = $1 and to_state = 'SUCCESS'",
    [paymentId],
  );
  await system.cancel(paymentId);
  await expectFact(paymentId, { kind: "SALE", standing: "VOIDED" });
  const [voided] = await system.query<{ at: string }>(times, [paymentId]);
  expect(Date.parse(sold!.at) - Date.parse(voided!.at)).toBeGreaterThan(86_000_000);
});

test("what was captured is the amount, in whatever state its authorization was known", async () => {
  const paymentId = await system.authorize("10000");
  await expectFact(paymentId, { kind: "CAPTURE", standing: "OPEN", amount_minor: "10000" });
  await system.capture(paymentId, "70.00");
  await expectFact(paymentId, { kind: "CAPTURE", standing: "DONE", amount_minor: "7000" });
});

test("an authorization that was cancelled moved nothing", async () => {
  const paymentId = await system.authorize();
  await system.cancel(paymentId);
  await expectFact(paymentId, { kind: "CAPTURE", standing: "NOT_DONE" });
});

test("a refund is a fact of its own; one of an authorization was a release, which no bank reports", async () => {
  const [sale, authorization] = [await system.sell("10000"), await system.authorize("10000")];
  const [refund, release] = [await system.refund(sale, "4000"), await system.refund(authorization, "4000")];
  await expectFact(refund, { kind: "REFUND", standing: "DONE", amount_minor: "4000" });
  await expectFact(release, { kind: "REFUND", standing: "NOT_DONE" });
});

test("what test mode did is no fact, and what follows it is recorded", async () => {
  const [live, paymentId] = [await system.sell(), randomUUIDv7()];
  const merchantId = testIdOf(system.merchantId);
  const changed = { payment_id: paymentId, merchant_id: merchantId, account_id: testIdOf(system.merchantId) };
  await system.query(
    `with made as (
       insert into payments.payment select (jsonb_populate_record(payment, $2)).* from payments.payment where payment_id = $1
       returning payment_id)
     insert into payments.payment_history (payment_id, version, to_state, cause) select payment_id, 1, 'SUCCESS', 'test' from made`,
    [live, JSON.stringify(changed)],
  );
  await expectFact(await system.sell(), { standing: "DONE" });
  await everythingIsRead();
  expect(await system.fact(paymentId)).toBeUndefined();
  // Another version does not make it a fact either.
  await expect(
    system.query("update settlement.fact set merchant_id = $2 where fact_id = $1", [live, merchantId]),
  ).rejects.toMatchObject({ constraint: "fact_is_live" });
});

test("a payment that was known before it was sent to another account has the last one", async () => {
  const paymentId = await system.sell();
  await everythingIsRead();
  await system.query(
    "update settlement.fact set account_id = gen_random_uuid()::text, standing = 'OPEN', version = 1 where fact_id = $1",
    [paymentId],
  );
  await system.query("update settlement.feed set place = null where owner = 'payments'");
  await expectFact(paymentId, { standing: "DONE" });
});

test.each([
  ["the beginning", "null", undefined],
  ["another installation", `jsonb_set(place, '{feed}', '"elsewhere"')`, "another_feed"],
  ["the future", `jsonb_set(place, '{transaction}', '"9000000000000000000"')`, "ahead"],
])("a feed that is read again, from a place of %s, changes nothing", async (_, place, reason) => {
  const sale = await system.sell("1500");
  const voided = await system.sell("1600");
  await system.cancel(voided);
  await system.refund(sale, "400");
  await everythingIsRead();
  const facts = async () => await system.query("select fact::text from settlement.fact order by fact_id");
  const before = await facts();
  const heard = captured.lines.length;
  await system.query(`update settlement.feed set place = ${place}`);
  // A fact that was lost shows that all was read.
  await system.query("delete from settlement.fact where fact_id = $1", [voided]);
  await expectFact(voided, { standing: "VOIDED" });
  await everythingIsRead();
  expect(await facts()).toEqual(before);
  const restarts = captured.lines.slice(heard).filter(({ operation }) => operation === "follow feed");
  if (reason === undefined) expect(restarts).toEqual([]);
  else
    expect(new Set(restarts.map((line) => `${String(line["server"])} ${String(line["reason"])}`))).toEqual(
      new Set([`payments ${reason}`, `refunds ${reason}`]),
    );
});

/** The lag of the payments feed, as its reader measures it. */
async function behindMs({ bus, database }: SettlementHarness): Promise<number> {
  const pool = createPool({
    url: database.urls.settlement.app,
    connectionsMax: 1,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log: captured.log,
  });
  onTestFinished(() => pool.end());
  const behind = Promise.withResolvers<number>();
  const events = {
    ...createBusinessEvents(captured.log),
    feedRead: (_owner: string, read: { behindMs: number }) => behind.resolve(read.behindMs),
  };
  const db = createDatabase<SettlementDatabase>(pool);
  await followFeed({ bus, db, events, isStopping: () => false }, "payments");
  return await behind.promise;
}

test("what happened while an owner or the service was away is recorded, and a line waits for it", async () => {
  const away = await startSettlementHarness({
    running: ["payments", "refunds"],
    envOf: { settlement: { FEED_INTERVAL: "50ms", MATCH_INTERVAL: "50ms" } },
  });
  onTestFinished(() => away.close());
  const paymentId = await away.sell("4200");
  // Payments answers, but its role may not read movements.
  await away.query("revoke select on payments.payment_history, payments.payment from payments_app");
  await away.start("settlement");
  const { output } = await away.bankFiles.take(
    genericLine({
      kind: "SALE",
      reference: paymentId,
      gross: decimalText(4_200n),
      settles_on: new Date().toISOString().slice(0, 10),
    }),
  );
  const imported = async () =>
    (
      await away.query<{ matched: boolean; refunds: boolean; payments: boolean; verdict: string | null }>(
        `select matched_at is not null as matched, verdict,
           ended_at <= (select complete_at from settlement.feed where owner = 'refunds') as refunds,
           ended_at <= (select complete_at from settlement.feed where owner = 'payments') as payments
         from settlement.import join settlement.line using (import_id) where import_id = $1`,
        [importIdIn(output)],
      )
    )[0]!;
  await eventually(async () => expect((await imported()).refunds).toBe(true));
  expect(await imported()).toEqual({ matched: false, refunds: true, payments: false, verdict: null });
  await away.query(
    "update settlement.feed set complete_at = now() - interval '1 day' where owner = 'payments'",
  );
  expect(await behindMs(away)).toBeGreaterThanOrEqual(86_400_000);
  await away.query("grant select on payments.payment_history, payments.payment to payments_app");
  await eventually(async () =>
    expect(await imported()).toEqual({ matched: true, refunds: true, payments: true, verdict: "MATCHED" }),
  );
  expect(await away.query("select from settlement.difference where class = 'MISSING_HERE'")).toEqual([]);
});

test("a file has the feeds read on at once, however long their interval is", async () => {
  const rare = await startSettlementHarness({
    envOf: { settlement: { FEED_INTERVAL: "1m", MATCH_INTERVAL: "50ms" } },
  });
  onTestFinished(() => rare.close());
  const paymentId = await rare.sell("4200");
  const { output } = await rare.bankFiles.take(
    genericLine({
      kind: "SALE",
      reference: paymentId,
      gross: decimalText(4_200n),
      settles_on: new Date().toISOString().slice(0, 10),
    }),
  );
  const verdict = "select verdict from settlement.line where import_id = $1";
  await eventually(
    async () => expect(await rare.query(verdict, [importIdIn(output)])).toEqual([{ verdict: "MATCHED" }]),
    { withinMs: 45_000 },
  );
});

test("a feed that has been read to its end is asked about without a statement here", async () => {
  const pool = createPool({
    url: system.database.urls.settlement.app,
    connectionsMax: 1,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log: captured.log,
  });
  onTestFinished(() => pool.end());
  let statements = 0;
  const db = createDatabase<SettlementDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      statements++;
      return Promise.resolve(result);
    },
  });
  const events = createBusinessEvents(captured.log);
  const round = watchFeed({ bus: system.bus, db, events, isStopping: () => false }, "payments");
  await round();
  expect(statements).toBeGreaterThan(0);
  // While any transaction of the cluster is open, the end is not known.
  await eventually(async () => {
    const before = statements;
    await round();
    expect(statements).toBe(before);
  });
  const sale = await system.sell();
  await eventually(async () => {
    const before = statements;
    await round();
    expect(statements).toBeGreaterThan(before);
  });
  await expectFact(sale, { standing: "DONE" });
});
