import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

import { LedgerCorruptError } from "@holdfast/simulator-kit";
import { expect, test, vi } from "vitest";

import {
  cardBody,
  followUpBody,
  reversalBody,
  startTestSimulator,
  type TestSimulator,
} from "../test/test-simulator.ts";

const settled = { outcome: "settled", resultCode: "settled", resultMessage: expect.any(String) };

test("what was sold or captured before the day is closed can only be refunded after it", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  const captured = await paid(bank, "authorize");
  await bank.post("/v1/capture", followUpBody(captured));
  expect(await bank.post("/business-day/close")).toEqual({ status: 200, body: {} });
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
  await bank.post("/business-day/close");
  expect((await bank.post("/v1/reverse", reversalBody(sale, { amountMinor: 999 }))).status).toBe(409);
});

test("an authorization that was not captured, and whatever is sold on the next day, can still be reversed", async () => {
  await using bank = await startTestSimulator();
  const reserved = await paid(bank, "authorize");
  await bank.post("/business-day/close");
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
  await bank.post("/business-day/close");
  for (const reference of [cancelled, reversed]) {
    expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject({
      outcome: "reversed",
    });
  }
});

test("a closing outlives a restart, as does the day after it", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  expect((await bank.get("/business-day")).body).toEqual({ closedAt: null });
  await bank.post("/business-day/close");
  const open = await paid(bank, "sale");
  const { body: day } = await bank.get("/business-day");
  expect(day).toEqual({ closedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  await bank.restart();
  expect((await bank.get("/business-day")).body).toEqual(day);
  expect((await bank.post("/v1/reverse", reversalBody(sale))).body).toMatchObject(settled);
  expect((await bank.post("/v1/reverse", reversalBody(open))).body).toMatchObject({ outcome: "reversed" });
});

test("closings at one time follow one another", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  const closings = await Promise.all(Array.from({ length: 5 }, () => bank.post("/business-day/close")));
  expect(closings.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await bank.post("/v1/reverse", reversalBody(sale))).body).toMatchObject(settled);
});

test("a closing that cannot be written settles nothing, and the next one is tried", async () => {
  await using bank = await startTestSimulator();
  const sale = await paid(bank, "sale");
  using output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const obstacle = `${bank.ledgerFile}.business-day.json.next/a`;
  await mkdir(obstacle, { recursive: true });
  expect((await bank.post("/business-day/close")).status).toBe(500);
  expect(output.mock.calls.join("")).toContain("a request failed");
  await rm(`${bank.ledgerFile}.business-day.json.next`, { recursive: true });
  expect((await bank.get("/business-day")).body).toEqual({ closedAt: null });
  expect((await bank.post("/business-day/close")).status).toBe(200);
  expect((await bank.post("/v1/reverse", reversalBody(sale))).body).toMatchObject(settled);
});

test.each([
  ["no JSON", "nonsense"],
  ["another object", "{}"],
  ["the closing of a longer ledger", '{"closedAt":"2026-01-01T00:00:00.000Z","throughSequence":7}'],
])("%s in its file stops the start and is left as it is", async (_name, content) => {
  await using bank = await startTestSimulator();
  const file = `${bank.ledgerFile}.business-day.json`;
  await writeFile(file, content);
  await expect(bank.restart()).rejects.toThrow(LedgerCorruptError);
  expect(await readFile(file, "utf8")).toBe(content);
});

async function paid(bank: TestSimulator, operation: "authorize" | "sale"): Promise<string> {
  const body = cardBody();
  expect((await bank.post(`/v1/${operation}`, body)).body).toMatchObject({ outcome: "approved" });
  return body.reference;
}
