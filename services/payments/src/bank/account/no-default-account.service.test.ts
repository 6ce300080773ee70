import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
beforeAll(async () => {
  payments = await startPaymentsHarness(
    { RECOVERY_INTERVAL: "1h", ACCOUNT_CHANGES_TWO_PEOPLE: "false" },
    { account: null },
  );
});
afterAll(() => payments.close());

test("payments starts without a bank, refuses what no account takes, and pays as soon as there is a default account", async () => {
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
});
