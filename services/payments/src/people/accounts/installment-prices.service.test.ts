import { randomBytes, randomUUID } from "node:crypto";
import { operations, type InstallmentPrice } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({ ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` });
});
afterAll(() => payments.close());

const { as, account, change } = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => "http://127.0.0.1:1",
);
const read = (accountId: string) =>
  payments.operate(operations.getInstallmentPrices.command, { accountId }, "vera");

const PRICE: InstallmentPrice = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: "2026-12-01",
};

test("prices are in use when another person has confirmed the account's version, and the audit log names both", async () => {
  const accountId = await account();
  expect(resultOf(await read(accountId))).toEqual({ prices: [], version: 1 });
  const proposed = resultOf(await as("alice").price(accountId, [PRICE]));
  expect(proposed).toMatchObject({
    prices: [],
    version: 1,
    proposal: { version: 2, proposedBy: "alice", prices: [PRICE] },
  });
  const { items } = resultOf(await payments.operate(operations.listAcquirerAccounts.command, { accountId }));
  expect(items[0]!.proposal).toMatchObject({ secretsChange: false, installmentPricesChange: true });
  expect(JSON.stringify(items)).not.toContain("3.75");
  expect(await as("alice").confirm(accountId, 2)).toMatchObject({ code: "same_person" });
  resultOf(await as("bora").confirm(accountId, 2));
  expect(resultOf(await read(accountId))).toEqual({ prices: [PRICE], version: 2 });
  const audited = await payments.query<{ actor: string; action: string; detail: string }>(
    "select actor, action, detail from payments.audit_entry where subject = $1 order by sequence offset 2",
    [accountId],
  );
  expect(audited.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    "alice account.proposed",
    "bora account.confirmed",
  ]);
  const installmentPrices = ["3 BUYER 3.75 2026-12-01/ BONUS"];
  expect(JSON.parse(audited[0]!.detail)).toMatchObject({ attributes: { installmentPrices } });
});

test("another change of the account keeps its prices, and an empty list takes them away", async () => {
  const accountId = await account();
  resultOf(await as("alice").price(accountId, [PRICE]));
  resultOf(await as("bora").confirm(accountId, 2));
  await change(accountId, 3, { name: `renamed ${randomUUID()}` });
  expect(resultOf(await read(accountId))).toEqual({ prices: [PRICE], version: 3 });
  resultOf(await as("alice").price(accountId, []));
  resultOf(await as("bora").confirm(accountId, 4));
  expect(resultOf(await read(accountId))).toEqual({ prices: [], version: 4 });
});

test("prices neither confirm an account that nobody has confirmed, nor make it the default one again", async () => {
  const { accountId: open } = resultOf(await as("alice").make());
  expect(await as("bora").price(open, [PRICE])).toMatchObject({ code: "account_not_confirmed" });
  const before = await account({ default: true });
  const now = await account({ default: true });
  resultOf(await as("alice").price(before, [PRICE]));
  resultOf(await as("bora").confirm(before, 2));
  const defaults = await payments.query(
    "select account_id from payments.acquirer_account where is_default and account_id = any ($1)",
    [[before, now]],
  );
  expect(defaults).toEqual([{ account_id: now }]);
});

test("a proposal that ends by another one is named in the audit log", async () => {
  const accountId = await account();
  resultOf(await as("alice").change(accountId, { name: `renamed ${randomUUID()}` }));
  resultOf(await as("cem").price(accountId, [PRICE]));
  const [line] = await payments.query<{ detail: string }>(
    "select detail from payments.audit_entry where subject = $1 order by sequence desc limit 1",
    [accountId],
  );
  expect(JSON.parse(line!.detail)).toMatchObject({ version: 3, replaces: 2 });
});

test("an unknown account has no prices", async () => {
  const nobody = randomUUID();
  const notFound = { outcome: "problem", code: "acquirer_account_not_found" };
  expect(await read(nobody)).toMatchObject(notFound);
  expect(await as("alice").price(nobody, [PRICE])).toMatchObject(notFound);
});

test("prices that were made from an older version are refused, so that nobody overwrites another's unseen", async () => {
  const accountId = await account();
  const refused = { outcome: "problem", code: "changed_since_read" };
  resultOf(await as("alice").price(accountId, [PRICE], 1));
  expect(await as("cem").price(accountId, [], 1)).toEqual(refused);
  resultOf(await as("bora").confirm(accountId, 2));
  expect(await as("cem").price(accountId, [], 1)).toEqual(refused);
  await change(accountId, 3, { name: `renamed ${randomUUID()}` });
  expect(await as("cem").price(accountId, [], 2)).toEqual(refused);
  expect(await as("cem").price(accountId, [], 4)).toEqual(refused);
  expect(resultOf(await read(accountId))).toEqual({ prices: [PRICE], version: 3 });
  const together = await Promise.all(["alice", "cem"].map((name) => as(name).price(accountId, [], 3)));
  expect(together.filter(({ outcome }) => outcome === "problem")).toEqual([refused]);
  expect(resultOf(await read(accountId))).toMatchObject({ version: 3, proposal: { version: 4, prices: [] } });
});
