import { expect, test } from "vitest";

import {
  cardBody,
  followUpBody,
  reversalBody,
  startTestSimulator,
  type TestSimulator,
} from "./test/test-simulator.ts";

test("what was sold or captured before the day is closed can only be refunded after it", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  const captured = await paid(bank, "authorize");
  await bank.post("/v1/capture", followUpBody(captured));
  await bank.endDay();
  await bank.restart();
  const linesBefore = await bank.ledger();

  const settled = { outcome: "settled", resultCode: "settled", resultMessage: expect.any(String) };
  for (const reference of [sale, captured]) {
    const body = { ...settled, reference, amountMinor: 1_000, currency: "EUR" };
    expect(await bank.post("/v1/reverse", reversalBody(reference))).toEqual({ status: 200, body });
    expect(await bank.inquire(reference)).toMatchObject({ outcome: "approved" });
  }
  expect(await bank.ledger()).toEqual(linesBefore);
  expect((await bank.post("/v1/refund", followUpBody(sale))).body).toMatchObject({ outcome: "approved" });
  // A caller that repeats its reversal after the refund must not get the answer that the bank refuses it.
  expect((await bank.post("/v1/reverse", reversalBody(sale))).body).toMatchObject(settled);
});

test("a day's movements are in its settlement file, and in the file of everything so far", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  await bank.endDay();
  await paid(bank, "sale");
  const { settlements } = (await bank.call("GET", "/settlements")).body as { settlements: string[] };
  expect(settlements).toEqual([expect.stringMatching(/^settlement-\d{4}-\d\d-\d\d-1\.csv$/)]);
  const [day, all] = await Promise.all([
    bank.ask("GET", `/settlements/${settlements[0]}`),
    bank.ask("GET", "/settlement"),
  ]);
  expect(day.split("\r\n").map((row) => row.split(",")[1])).toEqual(["reference", sale, undefined]);
  expect(all.startsWith(day)).toBe(true);
  expect(all.split("\r\n")).toHaveLength(4);
});

async function paid(bank: TestSimulator, operation: "authorize" | "sale"): Promise<string> {
  const body = cardBody();
  expect((await bank.post(`/v1/${operation}`, body)).body).toMatchObject({ outcome: "approved" });
  return body.reference;
}
