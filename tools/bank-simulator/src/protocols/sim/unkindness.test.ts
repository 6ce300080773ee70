// The unkindnesses of every bank, at the bank of no protocol in particular.
import { expect, test } from "vitest";

import { cardBody, followUpBody, startTestSimulator, type TestSimulator } from "./test/test-simulator.ts";

const NOON = Date.parse("2030-01-31T12:00:00Z");

async function start() {
  const clock = { nowMs: NOON };
  const bank = await startTestSimulator({ machineNow: () => clock.nowMs });
  return Object.assign(bank, { clock });
}

async function pay({ post }: Pick<TestSimulator, "post">, operation = "sale") {
  const body = cardBody();
  await post(`/v1/${operation}`, body);
  return body.reference;
}

test("a clock that is off is in an inquiry's time and in the day's file, and not in the ledger", async () => {
  await using bank = await start();
  await bank.modes({ clockOffsetSeconds: -180 });
  const reference = await pay(bank);
  expect((await bank.inquire(reference))["at"]).toBe("2030-01-31T11:57:00.000Z");
  expect((await bank.ledger())[0]?.at).toBe("2030-01-31T12:00:00.000Z");
  await bank.endDay();
  expect(await bank.ask("GET", "/settlements/settlement-2030-01-31-1.csv")).toContain("2030-01-31T11:57:00,");
});

test("a second equal refund in the duplicate window has the first one's name and no effect", async () => {
  await using bank = await start();
  await bank.modes({ duplicateWindowSeconds: 60 });
  const parent = await pay(bank);
  const refund = async (amountMinor = 100) => {
    const body = followUpBody(parent, { amountMinor });
    return { reference: body.reference, answer: (await bank.post("/v1/refund", body)).body };
  };
  const [first, second] = [await refund(), await refund()];
  expect(second.answer).toEqual({ ...first.answer, reference: second.reference });
  expect((await bank.inquire(second.reference)).outcome).toBe("not_found");
  bank.clock.nowMs += 60_000;
  expect((await refund()).answer["externalTransactionId"]).not.toBe(first.answer["externalTransactionId"]);
  expect(await bank.ledger()).toHaveLength(3);
});

test("inquiries that lag show an operation and its reversal when they are old enough", async () => {
  await using bank = await start();
  await bank.modes({ historyLagSeconds: 60 });
  const reference = await pay(bank);
  const outcome = async () => (await bank.inquire(reference)).outcome;
  expect(await outcome()).toBe("not_found");
  bank.clock.nowMs += 60_000;
  await bank.post("/v1/reverse", { reference, amountMinor: 1_000, currency: "EUR" });
  expect(await outcome()).toBe("approved");
  bank.clock.nowMs += 60_000;
  expect(await outcome()).toBe("reversed");
});

test("a capture may take a part", async () => {
  await using bank = await start();
  const parent = await pay(bank, "authorize");
  await bank.fault("capture", "partial");
  const { body } = await bank.post("/v1/capture", followUpBody(parent));
  expect([body.outcome, body.amountMinor]).toEqual(["approved", 500]);
});

test("a refund in the panel has a reference that nobody has sent, within the bank's rules", async () => {
  await using bank = await start();
  const order = await pay(bank);
  const panel = async (amountMinor: number) =>
    (await bank.call("POST", "/panel/refunds", { order, amountMinor })).status;
  expect([await panel(250), await panel(751)]).toEqual([200, 409]);
  expect((await bank.ledger())[1]).toMatchObject({
    operation: "refund",
    reference: expect.stringMatching(/^panel-/),
    parentReference: order,
  });
});

test("a day's file has disputes under their payment's names, odd cells, and a payout of its sum", async () => {
  await using bank = await start();
  const reference = await pay(bank);
  await bank.endDay();
  await bank.modes({ cells: "odd" });
  bank.clock.nowMs += 20 * 86_400_000;
  for (const kind of ["chargeback", "reversal", "chargeback"])
    await bank.ask("POST", "/disputes", { order: reference, amountMinor: 600, kind });
  await bank.endDay();
  const file = await bank.ask("GET", "/settlements/settlement-2030-02-20-2.csv");
  const rows = file.split("\r\n").map((row) => row.split(","));
  const [, taken, back, again] = rows;
  expect([taken?.[0], back?.[0]]).toEqual(["CHARGEBACK", "CHARGEBACK_REVERSAL"]);
  expect([taken?.[1], taken?.[3], taken?.[5], back?.[5]]).toEqual([
    reference,
    "-",
    "-000000000000006.00",
    "000000000000006.00",
  ]);
  expect(again).toEqual(taken);
  expect(taken?.slice(9)).toEqual(["2030-01-31T12:00:00", "2030-02-20", "P-2030-02-20"]);
  expect(await bank.ask("GET", "/payouts")).toMatch(/"EUR">10\.00<.*>P-2030-01-31<[^]*"EUR">6\.00<.*DBIT/);
});
