import { expect, test } from "vitest";

import {
  cardBody,
  followUpBody,
  reversalBody,
  startTestSimulator,
  type TestSimulator,
} from "./test/test-simulator.ts";

const settled = { outcome: "settled", resultCode: "settled", resultMessage: expect.any(String) };

test("what was sold or captured before the day is closed can only be refunded after it", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  const captured = await paid(bank, "authorize");
  await bank.post("/v1/capture", followUpBody(captured));
  await bank.endDay();
  await bank.restart();
  const linesBefore = await bank.ledger();

  for (const reference of [sale, captured]) {
    for (let repeat = 0; repeat < 2; repeat += 1) {
      expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject({
        ...settled,
        reference,
        amountMinor: 1_000,
        currency: "EUR",
      });
    }
    expect(await bank.inquire(reference)).toMatchObject({ outcome: "approved" });
  }
  expect(await bank.ledger()).toEqual(linesBefore);

  for (const reference of [sale, captured]) {
    expect((await bank.post("/v1/cancel", followUpBody(reference))).body).toMatchObject({ resultCode: "12" });
    const refund = followUpBody(reference, { reference: `${reference}:reversal` });
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "approved" });
    // A caller that repeats its reversal after the refund must not get the answer that the bank refuses it.
    expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject(settled);
  }
});

test("a reversal of a settled sale in another amount is a conflict", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  await bank.endDay();
  expect((await bank.post("/v1/reverse", reversalBody(sale, { amountMinor: 999 }))).status).toBe(409);
});

test("an authorization that was not captured, and whatever is sold on the next day, can still be reversed", async () => {
  await using bank = await startTestSimulator();
  const reserved = await paid(bank, "authorize");
  await bank.endDay();
  const next = await paid(bank, "sale");
  for (const reference of [reserved, next]) {
    expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject({
      outcome: "reversed",
    });
  }
});

test("a closing does not settle what was cancelled or reversed before it", async () => {
  await using bank = await startTestSimulator();
  const [cancelled, reversed] = [await paid(bank, "sale"), await paid(bank, "sale")];
  await bank.post("/v1/cancel", followUpBody(cancelled));
  await bank.post("/v1/reverse", reversalBody(reversed));
  await bank.endDay();
  for (const reference of [cancelled, reversed]) {
    expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject({
      outcome: "reversed",
    });
  }
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
