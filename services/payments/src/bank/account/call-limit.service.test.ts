import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { startTestBank, type TestBank } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/** A bank that takes so many calls a minute, from all processes together. */
let payments: PaymentsHarness;
let another: { stop(): Promise<unknown> };
let dir: string;
let bank: TestBank;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-limit-"));
  bank = await startTestBank(dir, {});
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACCOUNT_REFRESH: "100ms",
  });
});
afterAll(async () => {
  await another?.stop();
  await payments?.close();
  await bank?.acquirer.close();
  await rm(dir, { recursive: true });
});

const operators = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => bank.acquirer.url,
);

test("new payments beyond the limit are not started, and what was begun has calls of its own", async () => {
  const accountId = await operators.account({ callsPerMinute: 10 });
  const merchantId = await operators.merchantRoutedTo({ accountId });
  const as = { merchant: { merchantId } };
  // The other process has read the account when it starts to serve.
  another = await payments.startAnother();
  const shown = async () => {
    const { items } = resultOf(
      await payments.operate(operations.listAcquirerAccounts.command, { accountId }, "alice"),
    );
    return items[0]!;
  };
  expect(await shown()).toMatchObject({ callsPerMinute: 10 });

  const commands = Array.from({ length: 24 }, () =>
    payments.command({ ofMerchant: merchantId, amountMinor: "10000" }),
  );
  const replies = await Promise.all(
    commands.map((command) => payments.call(operations.preAuthorize.command, command, as)),
  );
  const outcomes = Map.groupBy(replies, ({ outcome }) => outcome);
  // A fifth of ten is kept for what was begun.
  expect([...outcomes.keys()].toSorted()).toEqual(["done", "not_started"]);
  expect(outcomes.get("done")).toHaveLength(8);
  expect(await bank.wholeLedger()).toHaveLength(8);
  expect(
    await payments.query("select count(*)::int as n from payments.payment where account_id = $1", [
      accountId,
    ]),
  ).toEqual([{ n: 8 }]);

  const begun = commands.filter((_, index) => replies[index]!.outcome === "done");
  const capture = ({ paymentId }: { paymentId: string }) =>
    payments.call(operations.capture.command, { paymentId, operationId: crypto.randomUUID() }, as);
  expect(await Promise.all(begun.slice(0, 2).map(capture))).toMatchObject([
    { outcome: "done" },
    { outcome: "done" },
  ]);
  // The budget comes back when a minute has passed.
  await payments.query(
    "update payments.acquirer_call_slot set taken_at = taken_at - interval '1 minute' where account_id = $1",
    [accountId],
  );
  expect(await capture(begun[2]!)).toMatchObject({ outcome: "done" });
  expect(await bank.wholeLedger()).toHaveLength(11);

  // Without the limit nothing waits, and the account's slots stay unchanged.
  await operators.change(accountId, 2, { callsPerMinute: null });
  expect(await shown()).not.toHaveProperty("callsPerMinute");
});
