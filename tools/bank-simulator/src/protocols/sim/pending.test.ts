import { describe, expect, test } from "vitest";

import { cardBody, reversalBody, startTestSimulator, type TestSimulator } from "./test/test-simulator.ts";

/** A sale that the bank has accepted and not decided on. */
async function accepted(bank: TestSimulator) {
  const body = cardBody();
  await bank.post("/faults", { operation: "sale", behaviour: "pending" });
  expect(await bank.post("/v1/sale", body)).toMatchObject({ status: 200, body: { outcome: "pending" } });
  return body;
}

describe("what the bank has accepted", () => {
  test.each(["approved", "declined"])(
    "moves nothing until it is %s, whoever asks or sends it again",
    async (outcome) => {
      await using bank = await startTestSimulator();
      const body = await accepted(bank);
      expect(await bank.inquire(body.reference)).toMatchObject({ outcome: "pending", amountMinor: 1_000 });
      expect((await bank.post("/v1/sale", body)).body).toMatchObject({ outcome: "pending" });
      expect(await bank.ledger()).toEqual([]);
      const decision = { reference: body.reference, outcome };
      expect((await bank.post("/decisions", decision)).status).toBe(200);
      expect(await bank.inquire(body.reference)).toMatchObject({ outcome });
      expect(await bank.ledger()).toMatchObject([{ operation: "sale", outcome }]);
      expect(await bank.post("/decisions", decision)).toMatchObject({
        status: 404,
        body: { error: "nothing_pending" },
      });
    },
  );

  test("is declined where a reversal has bound its reference meanwhile", async () => {
    await using bank = await startTestSimulator();
    const { reference } = await accepted(bank);
    expect((await bank.post("/v1/reverse", reversalBody(reference))).body).toMatchObject({
      outcome: "reversed",
    });
    expect(await bank.inquire(reference)).toMatchObject({ outcome: "reversed" });
    await bank.post("/decisions", { reference, outcome: "approved" });
    expect(await bank.ledger()).toMatchObject([
      { operation: "reverse" },
      { operation: "sale", outcome: "declined" },
    ]);
  });
});

test("a decision that says nothing of the protocol is refused by its fields", async () => {
  await using bank = await startTestSimulator();
  expect(await bank.post("/decisions", { reference: "r", outcome: "perhaps" })).toMatchObject({
    status: 400,
    body: { error: "invalid_request", fields: ["outcome"] },
  });
});
