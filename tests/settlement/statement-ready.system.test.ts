import { randomUUIDv7 } from "node:crypto";
import { operations, type MessageContext, type StatementReady } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  type LedgerReceiver,
} from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

// The whole way of `settlement.statement_ready`: from a bank's file to the endpoint that asks for it, by two replicas.
const commission = { ratePercent: "1.99", fixed: "0", currency: "TRY" };

let system: SettlementHarness;
let shop: LedgerReceiver;
let books: LedgerReceiver;
let replicas: { stop(): Promise<void> }[];
beforeAll(async () => {
  const certificates = await makeTestCertificates();
  [shop, books] = await Promise.all([startLedgerReceiver(certificates), startLedgerReceiver(certificates)]);
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "webhook-dispatcher"],
    running: ["payments", "refunds", "webhook-dispatcher"],
    commission,
    env: { WEBHOOK_CA_FILE: certificates.caFile },
    envOf: {
      settlement: {
        MATCH_INTERVAL: "50ms",
        FEED_INTERVAL: "50ms",
        OUTBOX_REPUBLISH_AFTER: "1s",
        OUTBOX_POLL_INTERVAL: "1s",
        OUTBOX_RECONCILE_INTERVAL: "1s",
      },
    },
  });
  replicas = [await system.start("settlement"), await system.start("settlement")];
  await system.query(
    "update settlement.account set settlement_days = 400, compared_since = '2026-03-01', time_zone = 'Europe/Istanbul'",
  );
});
afterAll(async () => {
  await system.close();
  await Promise.all([shop.close(), books.close()]);
});

type Merchant = NonNullable<MessageContext["merchant"]>;

/** A merchant with a default endpoint, and one for the books that asks for statements. */
async function newMerchant(): Promise<Merchant> {
  const merchantId = randomUUIDv7();
  const { publicKey: recipientKey } = createReplyRecipient();
  await system.operate(operations.putMerchantWebhook.command, {
    merchantId,
    url: `${shop.url}?${merchantId}`,
    recipientKey,
  });
  const endpoint = { merchantId, url: `${books.url}?${merchantId}`, recipientKey };
  const made = await system.operate(operations.createMerchantWebhook.command, {
    ...endpoint,
    events: ["settlement.statement_ready"],
  });
  expect(made).toMatchObject({ outcome: "done" });
  return { merchantId, commission };
}

/** A sale that happened at a time. @returns its id, once settlement knows it. */
async function sellAt(merchant: Merchant, amountMinor: string, occurredAt: string): Promise<string> {
  const sale = system.command({ amountMinor, ofMerchant: merchant.merchantId });
  expect(await system.call(operations.pay.command, sale, { merchant })).toMatchObject({ outcome: "done" });
  await eventually(async () => {
    const rows = await system.query(
      `update settlement.fact set occurred_at = $2 where fact_id = $1 and standing = 'DONE' returning fact_id`,
      [sale.paymentId, occurredAt],
    );
    expect(rows).toHaveLength(1);
  });
  return sale.paymentId;
}

function line(kind: string, reference: string, gross: bigint, day: string): string {
  return genericLine({
    kind,
    reference,
    bank_reference: `b-${reference}-${kind}`,
    gross: decimalText(gross),
    net: decimalText(gross),
    settles_on: day,
  });
}

async function take(...lines: string[]): Promise<void> {
  expect(await system.bankFiles.take(...lines)).toMatchObject({ code: 0 });
}

/** Waits until nothing is left to compare or check, and no event is under way. */
async function everythingIsLookedAt(): Promise<void> {
  await eventually(async () =>
    expect(
      await system.query(
        `select 'import' as left from settlement.import where state = 'TAKEN' and matched_at is null
         union all select 'fact' from settlement.fact where judge
         union all select 'change' from settlement.statement_change where not_before is null or not_before <= now()
         union all select 'event' from settlement.outbox where confirmed_at is null
         union all select 'delivery' from webhooks.delivery`,
      ),
    ).toEqual([]),
  );
}

const statementsIn = ({ ledger }: LedgerReceiver, { merchantId }: Merchant, type: string) =>
  ledger
    .filter(({ headers, body }) => headers["x-event-type"] === type && body.toString().includes(merchantId))
    .map(({ body }) => JSON.parse(body.toString()) as StatementReady);

const statementsOf = (merchant: Merchant) => statementsIn(books, merchant, "settlement.statement_ready");
const revisions = (merchant: Merchant) =>
  statementsOf(merchant).map(({ day, revision }) => `${day} ${revision}`);

/** Closes the open difference about a payment. */
async function decide(factId: string, decision: "ACCEPT_BANK" | "NOT_OURS"): Promise<void> {
  const [open] = await system.query<{ differenceId: string }>(
    `select difference_id as "differenceId" from settlement.difference where fact_id = $1 and state = 'OPEN'`,
    [factId],
  );
  const { differenceId } = open!;
  const reply = await system.operate(operations.closeDifference.command, {
    differenceId,
    decision,
    reason: "written off",
  });
  expect(reply).toMatchObject({ outcome: "done" });
}

async function statements(merchant: Merchant, range = { from: "2026-03-01", to: "2026-03-31" }) {
  const reply = await system.call(operations.listStatements.command, { ...range, limit: 50 }, { merchant });
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result.items;
}

test("a statement that becomes complete reaches the endpoint that asks for it once, and changed again as the next revision", async () => {
  const merchant = await newMerchant();
  const first = await sellAt(merchant, "10000", "2026-03-10T09:00:00Z");
  const second = await sellAt(merchant, "5000", "2026-03-10T10:00:00Z");
  const sale = line("SALE", first, 10_000n, "2026-03-12");
  await take(sale);
  await everythingIsLookedAt();
  // The bank has not reported the other sale, which could be of this day.
  expect(await statements(merchant)).toMatchObject([{ day: "2026-03-12", complete: false }]);
  expect(statementsOf(merchant)).toEqual([]);

  await take(line("SALE", second, 5_000n, "2026-03-13"));
  await everythingIsLookedAt();
  expect(revisions(merchant).toSorted()).toEqual(["2026-03-12 1", "2026-03-13 1"]);
  const [shown] = await statements(merchant);
  const { unpricedLines: _, ...content } = shown!;
  const ready = statementsOf(merchant).find(({ day }) => day === "2026-03-12");
  expect(ready).toEqual({
    ...content,
    merchantId: merchant.merchantId,
    salesAmount: 100,
    netPayableAmount: 98.01,
    complete: true,
    livemode: true,
    revision: 1,
    version: 1,
    statusDate: expect.any(String) as string,
    path: "/api/statements?from=2026-03-12&to=2026-03-12&currency=TRY",
  });

  // A copy of a line counts nowhere, and no event follows.
  await take(sale, line("SALE", randomUUIDv7(), 1n, "2026-03-12"));
  await everythingIsLookedAt();
  expect(statementsOf(merchant)).toHaveLength(2);

  await take(line("CHARGEBACK", first, -10_000n, "2026-03-12"));
  await everythingIsLookedAt();
  expect(revisions(merchant).toSorted()).toEqual(["2026-03-12 1", "2026-03-12 2", "2026-03-13 1"]);
  expect(statementsOf(merchant).at(-1)).toMatchObject({
    chargebacksAmount: 100,
    netPayableAmount: -1.99,
    lines: 2,
  });
  expect((await statements(merchant)).map(({ revision }) => revision)).toEqual([2, 1]);

  // The default endpoint got its usual events only.
  expect(statementsIn(shop, merchant, "settlement.statement_ready")).toEqual([]);
  expect(
    await system.query(
      `select outcome.outcome, count(*)::int as count from webhooks.event join webhooks.outcome using (occurred_at, event_id)
       where merchant_id = $1 and endpoint_id = merchant_id and event_type = 'settlement.statement_ready' group by 1`,
      [merchant.merchantId],
    ),
  ).toEqual([{ outcome: "skipped", count: 3 }]);
});

test("a day that waits for people is told of when they have decided, and with what they made of it", async () => {
  const merchant = await newMerchant();
  const sold = await sellAt(merchant, "1000", "2026-03-10T09:00:00Z");
  const other = await sellAt(merchant, "2000", "2026-03-10T09:00:00Z");
  const never = await sellAt(merchant, "3000", "2026-03-10T09:00:00Z");
  await take(line("SALE", sold, 999n, "2026-03-12"), line("SALE", other, 2_000n, "2026-03-12"));
  await everythingIsLookedAt();
  const close = (factId: string) =>
    system.query(
      `insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail)
       select account_id, 'MISSING_AT_BANK', fact_id, 1, 'TRY', 'no line' from settlement.fact
       where fact_id = $1 and not exists (select from settlement.difference as open where open.fact_id = $1)`,
      [factId],
    );
  await close(never);
  await decide(sold, "NOT_OURS");
  await everythingIsLookedAt();
  expect(statementsOf(merchant)).toEqual([]);
  await decide(never, "ACCEPT_BANK");
  await everythingIsLookedAt();
  expect(statementsOf(merchant)).toMatchObject([{ salesAmount: 20, lines: 1, revision: 1 }]);
});

test("a commission that is known later makes the next revision, and what no line is left of is told as nothing", async () => {
  const merchant = await newMerchant();
  const sold = await sellAt(merchant, "1000", "2026-03-10T09:00:00Z");
  await take(line("SALE", sold, 1_000n, "2026-03-12"));
  await everythingIsLookedAt();
  await system.query("update settlement.fact set commission_minor = null where fact_id = $1", [sold]);
  await everythingIsLookedAt();
  expect(await statements(merchant)).toMatchObject([{ complete: false }]);
  await system.query("update settlement.fact set commission_minor = 21 where fact_id = $1", [sold]);
  await everythingIsLookedAt();
  // Recovery found that the payment failed, and people have closed the difference: the bank's line no longer
  // counts.
  await system.query(
    "update settlement.fact set standing = 'NOT_DONE', version = version + 1, judge = true where fact_id = $1",
    [sold],
  );
  await everythingIsLookedAt();
  expect(revisions(merchant)).toEqual(["2026-03-12 1", "2026-03-12 2"]);
  await decide(sold, "NOT_OURS");
  await everythingIsLookedAt();
  expect(statementsOf(merchant)).toMatchObject([
    { revision: 1, commission: 0.2 },
    { revision: 2, commission: 0.21 },
    { revision: 3, salesAmount: 0, commission: 0, netPayableAmount: 0, lines: 0 },
  ]);
  expect(await statements(merchant)).toMatchObject([{ netPayableAmount: 0, complete: true, revision: 3 }]);
});

test("a day that is not over is told when it is, whatever the bank has reported of it", async () => {
  const merchant = await newMerchant();
  const [paid, paidLater] = [
    await sellAt(merchant, "600", "2026-03-10T09:00:00Z"),
    await sellAt(merchant, "400", "2026-03-10T09:00:00Z"),
  ];
  const ahead = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await take(line("SALE", paid, 600n, "2026-03-12"), line("SALE", paidLater, 400n, ahead));
  await everythingIsLookedAt();
  expect(revisions(merchant)).toEqual(["2026-03-12 1"]);
  const planned = `select day::text as day, not_before > now() as is_ahead from settlement.statement_change
    where merchant_id = '${merchant.merchantId}'`;
  expect(await system.query(planned)).toEqual([{ day: ahead, is_ahead: true }]);
  expect(await statements(merchant, { from: ahead, to: ahead })).toMatchObject([
    { salesAmount: 4, complete: false },
  ]);

  // Makes the day a past day of March; nothing else has changed.
  await system.query(`
    set local session_replication_role = replica;
    update settlement.line set settles_on = '2026-03-20' where settles_on = '${ahead}';
    update settlement.statement set day = '2026-03-20' where day = '${ahead}';
    update settlement.statement_change set day = '2026-03-20', not_before = now(), look_at = now()
      where day = '${ahead}'`);
  await everythingIsLookedAt();
  expect(revisions(merchant)).toEqual(["2026-03-12 1", "2026-03-20 1"]);
});

test("a day that cannot be added up keeps no other day waiting, and is tried again", async () => {
  const merchant = await newMerchant();
  const [first, second] = [
    await sellAt(merchant, "777", "2026-03-10T09:00:00Z"),
    await sellAt(merchant, "1000", "2026-03-10T09:00:00Z"),
  ];
  await system.query(`
    create function settlement.refuse() returns trigger language plpgsql as 'begin raise exception ''cannot''; end';
    create trigger refuse before insert on settlement.statement_revision
      for each row when (new.sales_minor = 777) execute function settlement.refuse()`);
  await take(line("SALE", first, 777n, "2026-03-11"), line("SALE", second, 1_000n, "2026-03-12"));
  await eventually(() => expect(revisions(merchant)).toEqual(["2026-03-12 1"]));
  await system.query("drop function settlement.refuse cascade");
  // Makes the lease end.
  await eventually(async () => {
    await system.query("update settlement.statement_change set look_at = now() where not_before is null");
    expect(revisions(merchant)).toEqual(["2026-03-12 1", "2026-03-11 1"]);
  });
  await everythingIsLookedAt();
});

test("of a process that is killed before it commits nothing stays, and another one tells of the statement once", async () => {
  const merchant = await newMerchant();
  const sold = await sellAt(merchant, "1000", "2026-03-10T09:00:00Z");
  await Promise.all(replicas.map((replica) => replica.stop()));
  const victim = await system.spawn("settlement", { FAILPOINTS: "settlement.before_revision:kill" });
  await take(line("SALE", sold, 1_000n, "2026-03-12"));
  await eventually(() => expect(victim.isRunning()).toBe(false));
  const ofMerchant = "select from settlement.statement where merchant_id = $1 and revision > 0";
  expect(await system.query(ofMerchant, [merchant.merchantId])).toEqual([]);
  // Makes the lease end.
  await system.query("update settlement.statement_change set look_at = now()");
  replicas = [await system.start("settlement"), await system.start("settlement")];
  await everythingIsLookedAt();
  expect(revisions(merchant)).toEqual(["2026-03-12 1"]);
});

test("an event that the dispatcher has confirmed and lost is found missing, and sent again as the same event", async () => {
  const merchant = await newMerchant();
  const sold = await sellAt(merchant, "1000", "2026-03-10T09:00:00Z");
  await take(line("SALE", sold, 1_000n, "2026-03-12"));
  await everythingIsLookedAt();
  expect(revisions(merchant)).toEqual(["2026-03-12 1"]);
  const [lost] = await system.query<{ event_id: string }>(
    "delete from webhooks.event where merchant_id = $1 and event_type = 'settlement.statement_ready' returning event_id",
    [merchant.merchantId],
  );
  await system.query("delete from webhooks.outcome where event_id = $1", [lost!.event_id]);
  await eventually(() => expect(revisions(merchant)).toEqual(["2026-03-12 1", "2026-03-12 1"]));
  const ids = books.ledger
    .filter(({ body }) => body.toString().includes(merchant.merchantId))
    .map(({ headers }) => headers["x-event-id"]);
  expect(ids).toEqual([lost!.event_id, lost!.event_id]);
});

test("looked at again, by all replicas at a time, nothing is told twice; what is recorded is what is computed", async () => {
  await everythingIsLookedAt();
  const before = await system.query("select statement_id, revision from settlement.statement_revision");
  expect(before.length).toBeGreaterThan(4);
  await system.query(
    `insert into settlement.statement_change (merchant_id, currency, day)
     select merchant_id, currency, day from settlement.statement, generate_series(1, 5)`,
  );
  await everythingIsLookedAt();
  expect(await system.query("select statement_id, revision from settlement.statement_revision")).toEqual(
    before,
  );
  const recorded = await system.query<{ merchant_id: string }>(
    "select merchant_id::text, day::text, revision from settlement.statement where revision > 0",
  );
  const computed = [];
  for (const merchantId of new Set(recorded.map(({ merchant_id }) => merchant_id))) {
    for (const { day, revision } of await statements({ merchantId, commission }))
      if (revision !== undefined) computed.push({ merchant_id: merchantId, day, revision });
  }
  expect(computed).toEqual(expect.arrayContaining(recorded));
  expect(computed).toHaveLength(recorded.length);
});
