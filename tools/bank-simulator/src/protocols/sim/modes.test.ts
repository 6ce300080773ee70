import { describe, expect, test } from "vitest";

import { cardBody, followUpBody, reversalBody, startTestSimulator } from "./test/test-simulator.ts";

describe("a bank that binds no unseen reference", () => {
  test("answers a reversal of it with not_found, and approves what comes later", async () => {
    await using bank = await startTestSimulator({ bindsUnseen: false });
    const body = cardBody();
    expect((await bank.post("/v1/reverse", reversalBody(body.reference))).body).toMatchObject({
      reference: body.reference,
      outcome: "not_found",
      amountMinor: 1_000,
      currency: "EUR",
      resultCode: "25",
    });
    expect(await bank.ledger()).toEqual([]);
    expect((await bank.post("/v1/authorize", body)).body).toMatchObject({ outcome: "approved" });
    expect((await bank.post("/v1/reverse", reversalBody(body.reference))).body).toMatchObject({
      outcome: "reversed",
    });
  });
});

describe("a bank that repeats no answers", () => {
  const { reference } = cardBody();
  const refund = followUpBody(reference, { amountMinor: 500 });
  test.each([
    ["refuses_second_success", "sale", ["approved", "duplicate_reference"], "approved"],
    ["refuses_second_success", "refund", ["approved", "duplicate_reference"], "approved"],
    [
      "refuses_second_success",
      "refund declined",
      ["declined", "approved", "duplicate_reference"],
      "approved",
    ],
    ["refuses_second_success", "reverse", ["reversed", "duplicate_reference"], "reversed"],
    // Two refunds are paid under one reference, and the bank still says so when nothing is left to refund.
    ["none", "refund", ["approved", "approved", "declined"], "approved"],
  ] as const)("%s: a repeated %s is answered with %o", async (repetition, steps, outcomes, inquired) => {
    await using bank = await startTestSimulator({ repetition });
    const [operation = "", fault] = steps.split(" ");
    if (operation === "refund") await bank.post("/v1/sale", cardBody({ reference }));
    if (fault) await bank.fault(operation, "decline");
    const bodies = { sale: cardBody({ reference }), refund, reverse: reversalBody(reference) };
    const body = bodies[operation as keyof typeof bodies];
    const before = (await bank.ledger()).length;
    for (const outcome of outcomes) {
      const { body: answer, status } = await bank.post(`/v1/${operation}`, body);
      expect([status, answer.outcome ?? answer["error"]]).toEqual([answer.outcome ? 200 : 409, outcome]);
    }
    expect(await bank.inquire(body.reference)).toMatchObject({ outcome: inquired });
    const lines = outcomes.filter((outcome) => outcome !== "duplicate_reference");
    expect(await bank.ledger()).toHaveLength(before + lines.length);
  });
});

test("modes are changed while it runs", async () => {
  await using bank = await startTestSimulator();
  const sale = cardBody();
  await bank.post("/v1/sale", sale);
  await bank.modes({ repetition: "refuses_second_success" });
  expect((await bank.post("/v1/sale", sale)).status).toBe(409);
  await bank.modes({ repetition: "replay" });
  expect((await bank.post("/v1/sale", sale)).body).toMatchObject({ outcome: "approved" });
});
