import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { evenSchedule, eventually } from "../support/index.ts";

/**
 * Akbank refuses a void after its day with a code that is of no list. Only a void that is repeated makes certain that the
 * day is over, and that nothing of the first one is still on its way.
 */
let payments: PaymentsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;

/** Longer than any call that is answered, and than any test: what ends is moved into the past. */
const CALL_MS = 60_000;
const LATE_MS = 600_000;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-akbank-"));
  bank = await playBank("akbank", dir);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACQUIRER_TIMEOUT: `${CALL_MS}ms`,
    ACQUIRER_LATE_ARRIVAL: `${LATE_MS}ms`,
    RECOVERY_SCHEDULE: evenSchedule(300, 400),
    RECOVERY_INTERVAL: "30ms",
  });
  const { account, merchantRoutedTo } = accountOperators(payments, () => "");
  // The bank ends its day before ours is over.
  const businessDay = { timeZone: "Pacific/Kiritimati", cutOff: "23:59" };
  merchantId = await merchantRoutedTo({ accountId: await account({ ...bank.account, businessDay }) });
});
afterAll(async () => {
  await payments.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

const of = () => ({ merchant: { merchantId } });

async function sell() {
  const cardData = { pan: "4355093000315232", cvv: "471" };
  const command = payments.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
  return {
    paymentId: command.paymentId,
    reply: await payments.call(operations.pay.command, command, of()),
  };
}

/** All calls of the payment are so old that none can arrive any more. */
const pastHorizon = (paymentId: string) =>
  payments.query(
    "update payments.bank_call set sent_at = clock_timestamp() - $2 * interval '1 ms' where payment_id = $1",
    [paymentId, CALL_MS + LATE_MS],
  );

const sendings = async (paymentId: string, kind: string) => {
  const rows = await payments.query<{ kind: string }>(
    "select kind from payments.bank_call where payment_id = $1 and kind = $2",
    [paymentId, kind],
  );
  return rows.length;
};

test("a cancel after the bank's day is unknown, and declined when it has been sent again", async () => {
  const { paymentId, reply } = await sell();
  expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  await bank.closeDay();
  const cancel = { paymentId, operationId: randomUUID() };
  expect(await payments.call(operations.cancel.command, cancel, of())).toMatchObject({ outcome: "pending" });
  await pastHorizon(paymentId);
  const ended = await eventually(async () => {
    const again = await payments.call(operations.cancel.command, cancel, of());
    return again.outcome !== "pending" && again;
  });
  expect(ended).toMatchObject({ code: "acquirer_declined", extra: { resultCode: "VPS-1997" } });
  expect(await sendings(paymentId, "void")).toBe(2);
  expect(await bank.ledger(paymentId)).toEqual([
    "sale approved 10000",
    "void declined 10000",
    "void declined 10000",
  ]);
});

test("a reversal after the bank's day is settled when it is repeated, and refunded when none can arrive", async () => {
  await bank.will("sale", "unlisted_done");
  await bank.will("inquire", "unlisted_done");
  await bank.will("inquire", "unlisted_done");
  const { paymentId, reply } = await sell();
  expect(reply).toMatchObject({ outcome: "pending" });
  await payments.query(
    "update payments.payment set created_at = created_at - interval '1 hour' where payment_id = $1",
    [paymentId],
  );
  await bank.closeDay();
  const lookAgain = () => payments.operate(operations.reversePayment.command, { paymentId }, "alice");
  const waitsAs = async (cause: string) => {
    await eventually(async () => {
      await lookAgain();
      const [row] = await payments.query<{ last_inquiry: string | null }>(
        "select last_inquiry from payments.payment where payment_id = $1",
        [paymentId],
      );
      return row!.last_inquiry === cause;
    });
  };
  await waitsAs("reversal_may_arrive");
  expect(await sendings(paymentId, "reverse")).toBe(2);
  expect(await sendings(paymentId, "refund")).toBe(0);
  await pastHorizon(paymentId);
  await eventually(async () => {
    await lookAgain();
    const seen = await payments.operate(operations.getOperatorPayment.command, { paymentId });
    return seen.outcome === "done" && seen.result.payment.status === "FAILED";
  });
  expect((await bank.ledger(paymentId)).filter((line) => line.includes("approved"))).toEqual([
    "sale approved 10000",
    "refund approved 10000",
  ]);
});
