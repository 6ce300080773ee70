// Servers die and come back under load, the bank misbehaves in every way it can, and a merchant sends one request
// twenty times in parallel. Nothing acknowledged is lost, and the services find their connections again by themselves.
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordOf } from "../checker/answers.ts";
import type { CardName } from "./client/cards.ts";
import { pay } from "./client/pay.ts";
import { postManyAtOnce, startSystemUnderTest, type SystemUnderTest } from "./system-under-test.ts";
import { fastTimers } from "./system/timers.ts";

let sut: SystemUnderTest;

beforeAll(async () => {
  sut = await startSystemUnderTest(fastTimers);
});
afterAll(() => sut?.stop());

afterEach(() => sut.check());

test("twenty times the same request at once over two gateways is one payment and one answer", async () => {
  const order = sut.order();
  const twenty = Array.from({ length: 20 }, () => order);
  const answers = await postManyAtOnce(sut.client, twenty, "twenty-same");
  const accepted = answers.filter(({ status }) => status === 201);
  expect(accepted.length).toBeGreaterThan(0);
  expect(new Set(accepted.map(({ body }) => body)).size).toBe(1);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect((await sut.look(order.orderId)).payments).toHaveLength(1);

  const later = await postManyAtOnce(sut.client, twenty, "twenty-same");
  expect(
    later.every(({ status, replayed, body }) => status === 201 && replayed && body === accepted[0]?.body),
  ).toBe(true);
});

test("twenty requests at once with two different bodies under one key: one of the two is paid, once", async () => {
  const order = sut.order();
  const other = { ...order, amount: "99.00" };
  const mixed = Array.from({ length: 20 }, (_, index) => (index % 4 < 2 ? order : other));
  const answers = await postManyAtOnce(sut.client, mixed, "twenty-mixed");
  expect(new Set(answers.filter(({ status }) => status === 201).map(({ order }) => order?.amount)).size).toBe(
    1,
  );
  expect(answers.every(({ status }) => status === 201 || status === 409 || status === 422)).toBe(true);
  expect((await sut.look(order.orderId)).payments).toHaveLength(1);
});

test("the bank's every fault is answered with 202 and settles by itself", async () => {
  const ends: Partial<Record<CardName, string[]>> = {
    approves_and_hangs: ["SUCCESS"],
    hangs: ["FAILED"],
    answers_late: ["SUCCESS"],
    // The outcome depends on whether the late request or our reversal arrives first; both are right.
    acts_late: ["SUCCESS", "FAILED"],
    http_500: ["SUCCESS"],
    garbage: ["SUCCESS"],
    other_amount: ["FAILED"],
    reset: ["SUCCESS"],
  };
  const orders = (Object.keys(ends) as CardName[]).map((card) => sut.order(card));
  const answers = await Promise.all(orders.map((order, gateway) => sut.client.post(order, { gateway })));
  expect(answers.map((answer) => [answer.status, recordOf(answer)?.status])).toEqual(
    orders.map(() => [202, "ENROLLED"]),
  );
  await eventually(
    async () => {
      const reads = await Promise.all(
        answers.map((answer) => sut.client.get(recordOf(answer)?.paymentId ?? "")),
      );
      const unexpected = orders.filter(({ card }, index) => {
        const read = reads[index];
        return !read || !ends[card]?.includes(recordOf(read)?.status ?? "");
      });
      expect(unexpected).toEqual([]);
    },
    { everyMs: 200 },
  );
});

test("the bank refuses a reversal ten times: it is repeated until acknowledged, and only then FAILED", async () => {
  await sut.system.acquirer.queueFault({ operation: "reverse", behaviour: "refuse", times: 10 });
  const order = sut.order("other_amount");
  const answer = await sut.client.post(order);
  expect(recordOf(answer)).toMatchObject({ status: "ENROLLED" });
  await eventually(
    async () => {
      const { payments, bank } = await sut.look(order.orderId);
      if (!bank.some(({ operation }) => operation === "reverse"))
        expect(payments).toMatchObject([{ state: "REVERSING" }]);
      expect(payments).toMatchObject([{ state: "FAILED", resultCode: "reversed" }]);
    },
    { everyMs: 100 },
  );
});

test("the bank refuses connections: nothing was sent, and the payment is FAILED without a reversal", async () => {
  const { link } = sut.system.acquirer;
  await link.set({ kind: "refuse" });
  const order = sut.order();
  const answer = await sut.client.post(order);
  await link.heal();
  expect([answer.status, recordOf(answer)?.status]).toEqual([201, "FAILED"]);
  expect(await sut.look(order.orderId)).toMatchObject({
    payments: [{ resultCode: "acquirer_unavailable" }],
    causes: ["claimed", "acquirer_unavailable"],
    bank: [],
  });
});

test("the bank is killed and restarted: what it held before it still holds", async () => {
  const [before, meanwhile] = [sut.order("approves_and_hangs"), sut.order()];
  const answer = sut.client.post(before);
  await eventually(async () => expect((await sut.look(before.orderId)).bank).toHaveLength(1));
  await sut.system.acquirer.process.kill();
  // The bank's link accepts connections and then resets them: the faster side decides whether bytes were
  // sent.
  expect(["ENROLLED", "FAILED"]).toContain(recordOf(await sut.client.post(meanwhile))?.status);
  await sut.system.acquirer.process.start();
  expect(recordOf(await answer)).toMatchObject({ status: "ENROLLED" });
  await sut.settled();
  expect(await sut.look(before.orderId)).toMatchObject({ payments: [{ state: "SUCCESS" }] });
  expect(await sut.look(meanwhile.orderId)).toMatchObject({ payments: [{ state: "FAILED" }] });
});

test.each([
  ["PostgreSQL", "postgres"],
  ["nats-server", "nats"],
] as const)("%s is killed and restarted under load: nothing acknowledged is lost", async (_name, server) => {
  const stopLoad = startLoad();
  await acknowledged(6);
  await sut.system[server].kill();
  await eventually(() => sut.history.entries.at(-1)?.status === 503);
  await sut.system[server].restart();

  const services = [...sut.system.gateways, ...sut.system.payments];
  await Promise.all(services.map(({ process }) => process.untilReady()));
  await acknowledged(6);
  await stopLoad();
  expect(services.every(({ process }) => process.isRunning())).toBe(true);
});

/** Starts four merchants' servers that pay one order after another, with and without keys. */
function startLoad(): () => Promise<void> {
  const over = new AbortController();
  const payer = async (gateway: number) => {
    while (!over.signal.aborted) {
      const order = sut.order();
      await pay(sut.client, order, gateway % 2 === 0 ? { gateway, key: order.orderId } : { gateway });
    }
  };
  const payers = Promise.all([0, 1, 2, 3].map(payer));
  return async () => {
    over.abort();
    await payers;
  };
}

/** Waits until so many more payments have been acknowledged. */
async function acknowledged(count: number): Promise<void> {
  const now = () => sut.history.entries.filter(({ status }) => status === 201).length;
  const before = now();
  await eventually(() => now() >= before + count);
}
