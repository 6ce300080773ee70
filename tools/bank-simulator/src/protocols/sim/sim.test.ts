import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

import { beforeEach, describe, expect, test } from "vitest";

import {
  ago,
  bodyFor,
  CARD,
  cardBody,
  followUpBody,
  reversalBody,
  startTestSimulator,
  type TestSimulator,
} from "./test/test-simulator.ts";

let bank: TestSimulator;

beforeEach(async () => {
  bank = await startTestSimulator();
  return () => bank[Symbol.asyncDispose]();
});

describe("the ledger", () => {
  test("has one line for each outcome, with the card number masked", async () => {
    const sale = cardBody();
    const unseen = randomUUID();
    await post("/v1/sale", sale);
    await post("/v1/sale", sale);
    await post("/v1/refund", { ...followUpBody(sale.reference), reference: "refund-1", amountMinor: 400 });
    await post(
      "/v1/authorize",
      cardBody({ reference: "declined-1", card: { ...CARD, pan: "378282246310005" }, expiresAt: ago() }),
    );
    await post("/v1/reverse", reversalBody(unseen));
    const lines = await ledger();
    for (const { at, externalTransactionId, currency } of lines)
      expect([at, externalTransactionId, currency]).toEqual([
        expect.stringMatching(/^\d{4}-.*Z$/),
        expect.any(String),
        "EUR",
      ]);
    const shown = lines.map(({ operation, reference, parentReference, amountMinor, resultCode, pan }) => {
      return [operation, reference, parentReference, amountMinor, resultCode, pan];
    });
    expect(shown).toEqual([
      ["sale", sale.reference, null, 1_000, "00", "411111******1111"],
      ["refund", "refund-1", sale.reference, 400, "00", "411111******1111"],
      ["authorize", "declined-1", null, 1_000, "expired_request", "378282*****0005"],
      ["reverse", unseen, null, 1_000, "00", null],
    ]);
    expect(lines.map(({ outcome }) => outcome)).toEqual(["approved", "approved", "declined", "approved"]);
    const text = await readFile(bank.ledgerFile, "utf8");
    expect(text).not.toMatch(/4111111111111111|378282246310005|cvv|Ada/);
  });

  test("shows a reversal under the reference it undoes, and no line for a refused one", async () => {
    const [reversed, captured] = [cardBody(), cardBody()];
    for (const body of [reversed, captured]) await post("/v1/authorize", body);
    await post("/v1/capture", followUpBody(captured.reference));
    for (const { reference } of [reversed, captured, reversed, captured])
      await post("/v1/reverse", reversalBody(reference));
    const { reference } = reversed;
    const line = { reference, parentReference: reference, outcome: "approved", pan: "411111******1111" };
    expect((await ledger()).filter(({ operation }) => operation === "reverse")).toMatchObject([line]);
  });
});

describe("a reference that is taken", () => {
  test.each([
    ["amount", "/v1/sale", { amountMinor: 1_001 }],
    ["currency", "/v1/sale", { currency: "USD" }],
    ["operation", "/v1/authorize", {}],
    ["amount of a reversal", "/v1/reverse", { amountMinor: 1_001 }],
    ["currency of a reversal", "/v1/reverse", { currency: "USD" }],
  ])("is refused with another %s, without effect", async (_name, path, other) => {
    const sale = cardBody();
    await post("/v1/sale", sale);
    const { status, body } = await post(path, { ...sale, ...other });
    expect({ status, body }).toEqual({
      status: 409,
      body: { error: "reference_conflict", reference: sale.reference },
    });
    expect(await ledger()).toHaveLength(1);
  });

  test("is refused with another parent, without effect", async () => {
    const sales = [cardBody(), cardBody()];
    for (const sale of sales) await post("/v1/sale", sale);
    const [refund, other] = sales.map(({ reference }) => followUpBody(reference, { reference: "r" }));
    expect((await post("/v1/refund", refund!)).status).toBe(200);
    expect((await post("/v1/refund", other!)).status).toBe(409);
    expect(await ledger()).toHaveLength(3);
  });

  test("is one effect when two calls come at once", async () => {
    const sale = cardBody();
    const [first, second] = await Promise.all([post("/v1/sale", sale), post("/v1/sale", sale)]);
    expect(second).toEqual(first);
    expect(await ledger()).toHaveLength(1);
  });
});

describe("what cannot be read is refused", () => {
  const unreadable: [string, object | string][] = [
    ["no JSON", "{"],
    ["null", "null"],
    ["no reference", { reference: undefined }],
    ["a reference with a slash", { reference: "a/b" }],
    ["a reference that is too long", { reference: "a".repeat(129) }],
    ["no amount", { amountMinor: 0 }],
    ["a fraction", { amountMinor: 10.5 }],
    ["an amount beyond exact integers", { amountMinor: 2 ** 53 }],
    ["an amount as text", { amountMinor: "1000" }],
    ["a small currency", { currency: "eur" }],
    ["no expiry", { expiresAt: "soon" }],
    ["an expiry hours ahead", { expiresAt: new Date(Date.now() + 4_000_000).toISOString() }],
    ["no card", { card: undefined }],
    ["a card number with a letter", { card: { ...CARD, pan: "411111111111111x" } }],
    ["a card verification value with a letter", { card: { ...CARD, cvv: "98x" } }],
  ];

  test.each(unreadable)("%s", async (_name, bad) => {
    const body = typeof bad === "string" ? bad : { ...cardBody(), ...bad };
    const answer = await post("/v1/sale", body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toMatch(/41111111|98/);
    expect(await ledger()).toEqual([]);
  });

  test("a follow-up without a parent", async () => {
    const refund = { ...followUpBody("p"), parentReference: undefined };
    expect(await post("/v1/refund", refund)).toMatchObject({
      status: 400,
      body: { fields: ["parentReference"] },
    });
  });

  test.each(["/v1/operations/%ff", "/v1/operations/", `/v1/operations/${"a".repeat(129)}`])(
    "%s",
    async (path) => {
      expect((await get(path)).status).toBe(400);
    },
  );
});

describe("queued faults", () => {
  test("come whatever the card, bend the answer of a repeat, and not its outcome", async () => {
    const sale = cardBody();
    const first = await post("/v1/sale", sale);
    await bank.fault("sale", "http_500");
    await bank.fault("sale", "decline");
    expect((await post("/v1/sale", sale)).status).toBe(500);
    expect(await post("/v1/sale", sale)).toEqual(first);
    expect(await ledger()).toHaveLength(1);
  });

  test.each(["authorize", "sale", "capture", "cancel", "release", "refund", "reverse"])(
    "reach %s, whose lost answer a repeat gets",
    async (operation) => {
      const body = await bodyFor(bank, operation);
      const before = (await ledger()).length;
      await bank.fault(operation, "reset");
      await bank.fault(operation, "wrong_amount");
      await expect(post(`/v1/${operation}`, body)).rejects.toThrow("fetch failed");
      for (const amountMinor of [1_001, 1_000]) {
        const repeat = await post(`/v1/${operation}`, body);
        expect(repeat.body).toMatchObject({ resultCode: "00", amountMinor });
      }
      expect(await ledger()).toHaveLength(before + 1);
    },
  );

  test("refuse reversals until they are used up", async () => {
    const body = reversalBody(randomUUID());
    await bank.fault("reverse", "refuse", 2);
    const outcomes = [];
    for (let count = 0; count < 3; count += 1) outcomes.push((await post("/v1/reverse", body)).body.outcome);
    expect(outcomes).toEqual(["refused", "refused", "reversed"]);
    expect(await ledger()).toHaveLength(1);
  });

  test("bend inquiries", async () => {
    await bank.fault("inquire", "http_500");
    expect((await get("/v1/operations/a")).status).toBe(500);
    expect((await get("/v1/operations/a")).body).toEqual({ reference: "a", outcome: "not_found" });
  });

  test.each([
    ["sale", "refuse"],
    ["reverse", "decline"],
    ["inquire", "late"],
    ["enrol", "expire"],
    ["refund", "partial"],
    ["reverse", "partial"],
  ])("are of their own calls alone: %s, %s", async (operation, behaviour) => {
    await expect(bank.fault(operation, behaviour)).rejects.toThrow("400");
  });
});

const post = (path: string, body: object | string) => bank.post(path, body);
const get = (path: string) => bank.call("GET", path);
const ledger = () => bank.ledger();
