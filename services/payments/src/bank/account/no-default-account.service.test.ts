import { randomBytes } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/** Settings without `ACQUIRER_URL`: the only banks are those of operators' accounts. */
const WITHOUT_URL = {
  ACQUIRER_URL: "",
  ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
  ACCOUNT_CHANGES_TWO_PEOPLE: "false",
};

let payments: PaymentsHarness;
beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" }, { alone: true });
});
afterAll(() => payments.close());

test("payments starts without a bank, refuses what no account takes, and pays as soon as there is a default account", async () => {
  const withUrl = await payments.startAnother();
  const before = payments.command();
  expect(await payments.send(before)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  await withUrl.stop();

  const service = await payments.startAnother(WITHOUT_URL);
  const refused = payments.command();
  expect(await payments.send(refused)).toMatchObject({ outcome: "problem", code: "no_acquirer_account" });
  expect(await payments.read(refused.paymentId)).toMatchObject({ code: "payment_not_found" });
  expect(await payments.ledger(refused.paymentId)).toEqual([]);

  const made = await makeAccount(
    payments,
    {
      protocol: "sim",
      name: "the default",
      currencies: ["TRY"],
      settings: { url: payments.acquirer.url },
      secrets: {},
      default: true,
    },
    "alice",
  );
  expect(made).toMatchObject({ result: { state: "ACTIVE", default: true } });
  const paid = payments.command();
  expect(await payments.send(paid)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  expect(await payments.ledger(paid.paymentId)).toHaveLength(1);

  // A payment of the account of ACQUIRER_URL is not sent to another one: it waits until the setting is back.
  const capture = { paymentId: before.paymentId, operationId: crypto.randomUUID(), amount: "1.00" };
  expect(await payments.request(operations.capture.command, payments.context(), capture)).toMatchObject({
    outcome: "not_started",
  });
  expect(await payments.ledger(before.paymentId)).toHaveLength(1);
  expect(await payments.read(before.paymentId)).toMatchObject({ result: { status: "SUCCESS" } });
  await service.stop();
});
