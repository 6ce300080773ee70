import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { captureLog, dayEndFarAway, eventually } from "../support/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";

/**
 * A bank of the Nestpay kind that takes a second charge of a card and an amount for a copy of the first, whatever
 * its order: it answers the second with the first one's approval.
 */
let payments: PaymentsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-copied-"));
  bank = await playBank("nestpay", dir);
  await bank.mode({ duplicateWindowSeconds: 86_400, duplicateWindowOf: "card" });
  payments = await startPaymentsHarness(
    {
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      RECOVERY_SCHEDULE: "20ms,40ms,60ms,80ms",
      RECOVERY_INTERVAL: "20ms",
      WATCH_INTERVAL: "50ms",
    },
    { log: () => log },
  );
  const operators = accountOperators(payments, () => "");
  const accountId = await operators.account({
    ...bank.account,
    businessDay: dayEndFarAway(),
    lateArrivalSeconds: 0,
  });
  merchantId = await operators.merchantRoutedTo({ accountId });
});
afterAll(async () => {
  await payments.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

async function sell() {
  const cardData = { pan: "4355084355084358", cvv: "000" };
  const sale = payments.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
  const reply = await payments.call(operations.pay.command, sale, { merchant: { merchantId } });
  return { paymentId: sale.paymentId, reply };
}

/** The payment is too old to be adopted, and none of its calls can arrive any more. */
async function age(paymentId: string): Promise<void> {
  for (const [table, column] of [
    ["bank_call", "sent_at"],
    ["payment", "created_at"],
  ])
    await payments.query(
      `update payments.${table} set ${column} = now() - interval '2 days' where payment_id = $1`,
      [paymentId],
    );
}

/** Recovery has looked at the payment that often. */
const isLookedAt = (paymentId: string, times: number) =>
  eventually(async () => {
    const [row] = await payments.query<{ state: string; last_inquiry: string; recovery_attempts: number }>(
      `update payments.payment set recover_at = now() where payment_id = $1 and lease_token is null
       returning state, last_inquiry, recovery_attempts`,
      [paymentId],
    );
    return row !== undefined && row.recovery_attempts >= times && row;
  });

test("an approval under another payment's name is never undone by that name: people end the payment", async () => {
  const first = await sell();
  expect(first.reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  const { paymentId, reply } = await sell();
  expect(reply).toMatchObject({ outcome: "pending" });
  await age(paymentId);
  expect(await isLookedAt(paymentId, 6)).toMatchObject({ state: "REVERSING", last_inquiry: "nothing_found" });
  expect(await bank.ledger(first.paymentId)).toEqual(["sale approved 10000"]);
  expect(await bank.ledger(paymentId)).toEqual([]);
  expect(lines).toContainEqual(
    expect.objectContaining({ paymentId, msg: expect.stringContaining("a name that is another movement's") }),
  );

  const statement = { paymentId, outcome: "FAILED", evidence: "the bank's letter of today" } as const;
  for (const name of ["alice", "bora"])
    await eventually(
      async () => "result" in (await payments.operate(operations.resolvePayment.command, statement, name)),
    );
  await payments.query("update payments.payment_watch set due_at = now() where payment_id = $1", [paymentId]);
  await eventually(async () => {
    const [watch] = await payments.query<{ last_inquiry: string }>(
      "select last_inquiry from payments.payment_watch where payment_id = $1 and ended_at is not null",
      [paymentId],
    );
    return watch?.last_inquiry === "not_found";
  });
  expect(await bank.ledger(first.paymentId)).toEqual(["sale approved 10000"]);
  const ended = await payments.query<{ payment_id: string; state: string }>(
    "select payment_id, state from payments.payment where payment_id = any($1)",
    [[first.paymentId, paymentId]],
  );
  expect(Object.fromEntries(ended.map(({ payment_id, state }) => [payment_id, state]))).toEqual({
    [first.paymentId]: "SUCCESS",
    [paymentId]: "FAILED",
  });
});
