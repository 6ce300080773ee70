import { expect, test } from "vitest";

import { submit } from "../../core/test/test-bank.ts";
import { WITH_AMOUNT } from "./gate.ts";
import { returnHash } from "./hashes.ts";
import { authenticate, complete, gateForm, startTestBank, STORE } from "./test/test-bank.ts";

const CHALLENGED = { creditCard: "4000000000003220" };
const isSigned = (fields: Record<string, string>) =>
  fields["hash"] ===
  returnHash(STORE.secretKey, (fields["hashParams"] ?? "").split("+"), (name) => fields[name] ?? "");

test("an authentication comes back signed with the amount, and pays once", async () => {
  const bank = await startTestBank();
  const { action, fields } = await authenticate(bank, CHALLENGED);
  expect(action).toBe(gateForm()["okUrl"]);
  expect(fields["hashParams"]).toBe(WITH_AMOUNT.join("+"));
  expect(isSigned(fields)).toBe(true);
  expect(fields).toMatchObject({ responseCode: "VPS-0000", mdStatus: "1", amount: "12.50", txnCode: "3001" });
  expect(JSON.stringify(fields)).not.toContain(CHALLENGED.creditCard);
  expect(await bank.code(complete(fields))).toBe("ok");
  expect(await bank.code(complete(fields))).toBe("VPS-1013");
  expect(await bank.ledger()).toMatchObject([{ operation: "sale", authentication: { mdStatus: "1" } }, {}]);
});

test("a failed authentication comes back signed, with its order alone", async () => {
  const bank = await startTestBank();
  const { action, fields } = await authenticate(bank, CHALLENGED, { code: "654321", answer: "submit" });
  expect(action).toBe(gateForm()["failUrl"]);
  expect(fields).toMatchObject({
    responseCode: "VPS-1279",
    orderId: "o",
    hashParams: "responseCode+responseMessage+orderId",
  });
  expect(isSigned(fields)).toBe(true);
  expect(await bank.ledger()).toEqual([]);
});

test("the older list has no amount", async () => {
  const bank = await startTestBank({ modes: { returnList: "without_amount" } });
  const { fields } = await authenticate(bank, CHALLENGED);
  expect(fields).not.toHaveProperty("amount");
  expect([isSigned(fields), fields["hashParams"]?.split("+").length]).toEqual([true, 11]);
});

test.each([
  ["another amount", { amount: "12.51" }],
  ["other installments", { installCount: 2 }],
])("%s than that of the form is refused, unless the bank does not compare it", async (_name, change) => {
  const bank = await startTestBank();
  const { fields } = await authenticate(bank, CHALLENGED);
  expect(await bank.code(complete(fields, change))).toBe("VPS-1279");
  await bank.modes({ bindsAmount: false });
  expect(await bank.code(complete(fields, change))).toBe("ok");
});

test("an authentication of nobody, or with another proof, pays nothing", async () => {
  const bank = await startTestBank();
  const { fields } = await authenticate(bank, CHALLENGED);
  for (const name of ["secureId", "secureData", "secureMd", "secureEcomInd"])
    expect(await bank.code(complete({ ...fields, [name]: "00" }))).toBe("VPS-1279");
  expect((await bank.ledger()).every(({ outcome }) => outcome === "declined")).toBe(true);
});

test.each([
  ["a wrong hash", { hash: "AAAA" }],
  ["a field that is not signed", { cardHolderName: "ADA" }],
  ["an amount in minor units", { amount: "1250" }],
  ["a card that is none", { creditCard: "5578293000121056" }],
])("a form with %s comes back refused, and signed", async (_name, changes) => {
  const bank = await startTestBank();
  const { action, fields } = await submit(`${bank.url}/securepay`, gateForm(changes));
  expect(action).toBe(gateForm()["failUrl"]);
  expect([fields["responseCode"], isSigned(fields)]).toEqual(["VPS-1996", true]);
});

test.each([
  ["wrong_hash", { isSigned: false }],
  ["no_hash", { isSigned: false }],
  ["other_list", { isSigned: true }],
  ["other_order", { isSigned: true }],
  ["wrong_amount", { isSigned: true }],
  ["decline", { isSigned: true }],
])("the fault %s bends the return", async (behaviour, expected) => {
  const bank = await startTestBank();
  await bank.fault("enrol", behaviour);
  const { fields } = await authenticate(bank, CHALLENGED);
  const { hash: right } = fields;
  expect({ isSigned: right !== undefined && isSigned(fields) }).toEqual(expected);
  const isPlain =
    fields["orderId"] === "o" &&
    fields["amount"] === "12.50" &&
    fields["hashParams"] === WITH_AMOUNT.join("+");
  expect(isPlain && expected.isSigned).toBe(false);
});
