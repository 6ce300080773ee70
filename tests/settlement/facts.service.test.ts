import { randomUUID } from "node:crypto";
import { eventSubject, sellPayment, testIdOf, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({ withBusUsers: true });
});
afterAll(() => system.close());

const expectFact = (id: string, fact: object) =>
  eventually(async () => expect(await system.fact(id)).toMatchObject({ account_id: "default", ...fact }));

test("a sale is a fact as soon as its event is out", async () => {
  await expectFact(await system.sell("1250"), { kind: "SALE", standing: "DONE", amount_minor: "1250" });
});

test("an event says with which account a sale is settled, and nobody is asked; of one that does not the owner is", async () => {
  const paymentId = await system.sell("1250");
  const read = async () => {
    const columns = "account_id, commission_minor, ask_at, asked";
    return await system.query(`select ${columns} from settlement.fact where fact_id = $1`, [paymentId]);
  };
  const whole = { account_id: "default", commission_minor: expect.any(String), ask_at: null };
  await eventually(async () => expect(await read()).toEqual([{ ...whole, asked: 0 }]));
  await system.query("delete from settlement.fact where fact_id = $1", [paymentId]);
  // The copies that the test publishes lack the terms.
  for (const event of await eventsOf(paymentId))
    await jetstream(system.bus.nats).publish(eventSubject("payments"), event);
  await eventually(async () => expect(await read()).toEqual([{ ...whole, asked: 1 }]));
});

test("a declined payment is a fact of no money", async () => {
  const command = system.command({ cardData: { pan: "4000000000000002" } });
  await system.call(sellPayment, command);
  await expectFact(command.paymentId, { kind: "SALE", standing: "NOT_DONE" });
});

test("a voided sale keeps that it was a sale", async () => {
  const paymentId = await system.sell();
  await system.cancel(paymentId);
  await expectFact(paymentId, { kind: "SALE", standing: "VOIDED" });
});

test("a capture has no event: its owner is asked, and what was captured is the amount", async () => {
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

test("an event that comes again, or is older than what is known, changes nothing", async () => {
  const paymentId = await system.sell();
  await expectFact(paymentId, { standing: "DONE" });
  const events = await eventsOf(paymentId);
  await system.cancel(paymentId);
  await expectFact(paymentId, { standing: "VOIDED" });
  for (const event of [...events, ...events])
    await jetstream(system.bus.nats).publish(eventSubject("payments"), event);
  await eventually(async () => expect(await unread()).toBe(0));
  expect(await system.fact(paymentId)).toMatchObject({ standing: "VOIDED" });
});

test("what test mode did is no fact, and what follows it is recorded", async () => {
  const [event] = await eventsOf(await system.sell());
  const paymentId = randomUUID();
  const merchantId = testIdOf(system.merchantId);
  const ofTestMode = { ...(JSON.parse(event!) as object), merchantId, paymentId };
  await jetstream(system.bus.nats).publish(eventSubject("payments"), JSON.stringify(ofTestMode));
  const live = await system.sell();
  await expectFact(live, { standing: "DONE" });
  await eventually(async () => expect(await unread()).toBe(0));
  expect(await system.fact(paymentId)).toBeUndefined();
  // Nor does another version make one of it.
  await expect(
    system.query("update settlement.fact set merchant_id = $2 where fact_id = $1", [live, merchantId]),
  ).rejects.toMatchObject({ constraint: "fact_is_live" });
});

test("what cannot be read is refused once, and what follows it is recorded", async () => {
  for (const content of ["no JSON", "{}", JSON.stringify({ eventId: 7 })])
    await jetstream(system.bus.nats).publish(eventSubject("payments"), content);
  await expectFact(await system.sell(), { standing: "DONE" });
  await eventually(async () => expect(await unread()).toBe(0));
});

test("of a list each event is a fact of its own, and one that cannot be read does not stop the others", async () => {
  const ids = [await system.sell(), await system.sell(), await system.sell()];
  for (const id of ids) await expectFact(id, { standing: "DONE" });
  const events = (await Promise.all(ids.map(eventsOf))).flat().map((event) => JSON.parse(event) as object);
  await system.query("delete from settlement.fact where fact_id = any($1)", [ids]);
  const list = { events: [events[0], "no event", { eventId: 7 }, ...events.slice(1)] };
  await jetstream(system.bus.nats).publish(eventSubject("payments"), JSON.stringify(list));
  for (const id of ids) await expectFact(id, { standing: "DONE" });
  await eventually(async () => expect(await unread()).toBe(0));
});

test("what left while the service was away is recorded when it is back, and the dispatchers' place is their own", async () => {
  const away = await startSettlementHarness({ running: ["payments", "refunds"] });
  onTestFinished(() => away.close());
  const paymentId = await away.sell();
  await away.start("settlement");
  await eventually(async () => expect(await away.fact(paymentId)).toMatchObject({ standing: "DONE" }));
  const { consumers } = await jetstreamManager(away.bus.nats);
  expect((await consumers.info("EVENTS", WEBHOOK_CONSUMER)).num_pending).toBe(1);
});

/** The messages about one payment, as its outbox has them. */
async function eventsOf(paymentId: string): Promise<string[]> {
  const rows = await system.query<{ event_id: string; merchant_id: string; status: string; body: Buffer }>(
    "select event_id, merchant_id, status, body from payments.outbox where payment_id = $1",
    [paymentId],
  );
  return rows.map(({ event_id, merchant_id, status, body }) =>
    JSON.stringify({
      eventId: event_id,
      eventType: "payment.status_changed",
      source: "payments",
      merchantId: merchant_id,
      paymentId,
      status,
      body: body.toString("base64"),
    }),
  );
}

async function unread(): Promise<number> {
  const { consumers } = await jetstreamManager(system.bus.nats);
  const info = await consumers.info("EVENTS", "settlement");
  return info.num_pending + info.num_ack_pending;
}
