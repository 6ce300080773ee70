import { randomUUID } from "node:crypto";

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

describe("a bank that refuses a second success", () => {
  test.each(["sale", "refund"])(
    "refuses the second %s, whose outcome an inquiry tells",
    async (operation) => {
      await using bank = await startTestSimulator({ repetition: "refuses_second_success" });
      const sale = cardBody();
      if (operation === "refund") await bank.post("/v1/sale", sale);
      const body = operation === "sale" ? sale : followUpBody(sale.reference);
      const first = await bank.post(`/v1/${operation}`, body);
      const lines = await bank.ledger();
      expect(first.body).toMatchObject({ outcome: "approved" });
      expect(await bank.post(`/v1/${operation}`, body)).toEqual({
        status: 409,
        body: { error: "duplicate_reference", reference: body.reference },
      });
      expect(await bank.ledger()).toEqual(lines);
      expect(await bank.inquire(body.reference)).toMatchObject(first.body);
    },
  );

  test("refuses a second reversal", async () => {
    await using bank = await startTestSimulator({ repetition: "refuses_second_success" });
    const body = reversalBody(randomUUID());
    expect((await bank.post("/v1/reverse", body)).body).toMatchObject({ outcome: "reversed" });
    expect(await bank.post("/v1/reverse", body)).toMatchObject({
      status: 409,
      body: { error: "duplicate_reference" },
    });
    expect(await bank.inquire(body.reference)).toMatchObject({ outcome: "reversed" });
  });

  test("judges anew what it has declined", async () => {
    await using bank = await startTestSimulator({ repetition: "refuses_second_success" });
    const sale = cardBody();
    await bank.post("/v1/sale", sale);
    const refund = followUpBody(sale.reference);
    await bank.post("/faults", { operation: "refund", behaviour: "decline" });
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "declined" });
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "approved" });
    expect(await bank.post("/v1/refund", refund)).toMatchObject({ status: 409 });
    expect(await bank.inquire(refund.reference)).toMatchObject({ outcome: "approved" });
  });
});

describe("a bank that knows no repeats", () => {
  test("pays a refund twice that is sent twice, under one reference", async () => {
    await using bank = await startTestSimulator({ repetition: "none" });
    const sale = cardBody();
    await bank.post("/v1/sale", sale);
    const refund = { ...followUpBody(sale.reference), amountMinor: sale.amountMinor / 2 };
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "approved" });
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "approved" });
    const lines = (await bank.ledger()).filter(({ reference }) => reference === refund.reference);
    expect(lines.map(({ outcome }) => outcome)).toEqual(["approved", "approved"]);
  });

  test("goes on saying that it has paid, after it has declined a repeat", async () => {
    await using bank = await startTestSimulator({ repetition: "none" });
    const sale = cardBody();
    await bank.post("/v1/sale", sale);
    const refund = followUpBody(sale.reference);
    const first = await bank.post("/v1/refund", refund);
    expect((await bank.post("/v1/refund", refund)).body).toMatchObject({ outcome: "declined" });
    expect(await bank.inquire(refund.reference)).toMatchObject(first.body);
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
