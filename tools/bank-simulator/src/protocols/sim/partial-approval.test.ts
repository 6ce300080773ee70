import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import {
  cardBody,
  followUpBody,
  reversalBody,
  startTestSimulator,
  threeDsFields,
} from "./test/test-simulator.ts";

test.each([
  ["authorize", 1_001, 500],
  ["sale", 1_000, 500],
  ["sale", 1, 1],
])("the fault partial approves half of %s of %d: %d", async (operation, amountMinor, approvedMinor) => {
  await using bank = await startTestSimulator();
  const body = cardBody({ amountMinor });
  await bank.post("/faults", { operation, behaviour: "partial" });
  const first = await bank.post(`/v1/${operation}`, body);
  expect(first.body).toMatchObject({ outcome: "approved", amountMinor: approvedMinor, resultCode: "00" });
  expect(await bank.inquire(body.reference)).toMatchObject(first.body);
  expect(await bank.ledger()).toMatchObject([{ operation, amountMinor: approvedMinor, outcome: "approved" }]);
  for (const restart of [() => undefined, () => bank.restart()]) {
    await restart();
    expect(await bank.post(`/v1/${operation}`, body)).toEqual(first);
  }
  expect(await bank.ledger()).toHaveLength(1);
});

test("a repeat must ask for what was asked for first", async () => {
  await using bank = await startTestSimulator();
  const body = cardBody();
  await bank.post("/faults", { operation: "sale", behaviour: "partial" });
  await bank.post("/v1/sale", body);
  expect((await bank.post("/v1/sale", { ...body, amountMinor: 500 })).status).toBe(409);
});

test.each([
  ["authorize", "capture", "13"],
  ["authorize", "cancel", "13"],
  ["authorize", "release", "13"],
  ["authorize", "reverse", undefined],
  ["sale", "refund", "13"],
])(
  "of a part of %s, %s moves what was approved and not what was asked for",
  async (payment, operation, code) => {
    await using bank = await startTestSimulator();
    const { reference, ...rest } = cardBody();
    await bank.fault(payment, "partial");
    await bank.post(`/v1/${payment}`, { ...rest, reference });
    const bodyOf = operation === "reverse" ? reversalBody : followUpBody;
    const codeOf = async (amountMinor: number) =>
      (await bank.post(`/v1/${operation}`, bodyOf(reference, { amountMinor }))).body.resultCode;
    expect([await codeOf(1_000), await codeOf(500)]).toEqual([code, "00"]);
  },
);

test("a completion approves half, too", async () => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...threeDsFields() };
  const { session } = (await bank.post("/v1/3ds/enrol", body)).body;
  await bank.post("/faults", { operation: "complete", behaviour: "partial" });
  const first = await bank.post("/v1/3ds/complete", { ...body, operation: "sale", session });
  expect(first.body).toMatchObject({ outcome: "approved", amountMinor: 500 });
  expect(await bank.post("/v1/3ds/complete", { ...body, operation: "sale", session })).toEqual(first);
});

test("what the bank declines is declined in the amount that was asked for", async () => {
  await using bank = await startTestSimulator();
  const reference = randomUUID();
  await bank.post("/v1/reverse", reversalBody(reference));
  await bank.post("/faults", { operation: "sale", behaviour: "partial" });
  expect((await bank.post("/v1/sale", cardBody({ reference }))).body).toMatchObject({
    outcome: "declined",
    amountMinor: 1_000,
    resultCode: "reversed",
  });
});
