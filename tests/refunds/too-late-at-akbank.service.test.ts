import { randomBytes, randomUUID, type UUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orderIdOf } from "@holdfast/acquirer";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { dayEndFarAway, evenSchedule, eventually } from "../support/index.ts";

/**
 * Akbank refuses a void after its day with an undocumented code. Only a repeated void makes certain that the
 * day is over, and that the first one is no longer on its way.
 */
let payments: PaymentsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: UUID;

/** Longer than any answered call and than any test: ends are moved into the past instead. */
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
  const businessDay = dayEndFarAway();
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

/** Makes all calls of the payment so old that none can arrive any more. */
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

/**
 * A sale with an unknown outcome, which is too old to be adopted. The bank's record cannot be read at first.
 */
async function sellInDoubt(behaviour: string, unread: number): Promise<string> {
  await bank.will("sale", behaviour);
  for (let count = 0; count < unread; count++) await bank.will("inquire", "unlisted_done");
  const { paymentId, reply } = await sell();
  expect(reply).toMatchObject({ outcome: "pending" });
  await payments.query(
    "update payments.payment set created_at = created_at - interval '1 hour' where payment_id = $1",
    [paymentId],
  );
  return paymentId;
}

const lookAgain = (paymentId: string) =>
  payments.operate(operations.reversePayment.command, { paymentId }, "alice");

const lastInquiry = async (paymentId: string) => {
  const [row] = await payments.query<{ last_inquiry: string | null }>(
    "select last_inquiry from payments.payment where payment_id = $1",
    [paymentId],
  );
  return row!.last_inquiry;
};

const waitsAs = (paymentId: string, cause: string) =>
  eventually(async () => {
    await lookAgain(paymentId);
    return (await lastInquiry(paymentId)) === cause;
  });

const failed = (paymentId: string) =>
  eventually(async () => {
    await lookAgain(paymentId);
    const seen = await payments.operate(operations.getOperatorPayment.command, { paymentId });
    return seen.outcome === "done" && seen.result.payment.status === "FAILED";
  });

test("a reversal after the bank's day is settled when it is repeated, and refunded when none can arrive", async () => {
  const paymentId = await sellInDoubt("unlisted_done", 2);
  await bank.closeDay();
  await waitsAs(paymentId, "reversal_may_arrive");
  expect(await sendings(paymentId, "reverse")).toBe(2);
  expect(await sendings(paymentId, "refund")).toBe(0);
  await pastHorizon(paymentId);
  await failed(paymentId);
  expect((await bank.ledger(paymentId)).filter((line) => line.includes("approved"))).toEqual([
    "sale approved 10000",
    "refund approved 10000",
  ]);
});

/**
 * A payment whose refund in place of a reversal the bank has declined. The bank's record shows more than the
 * payment has, and so it pays back.
 */
async function refundDeclined(): Promise<string> {
  // The first of the inquiries is to confirm the sale.
  const paymentId = await sellInDoubt("wrong_amount", 3);
  await bank.closeDay();
  await waitsAs(paymentId, "reversal_may_arrive");
  await pastHorizon(paymentId);
  await eventually(async () => {
    await lookAgain(paymentId);
    return (await bank.ledger(paymentId)).includes("refund declined 10001");
  });
  return paymentId;
}

test("a refund in place of a reversal that the bank declines is told as that, and no reader has it sent again", async () => {
  const paymentId = await refundDeclined();
  // Looked at again, it is what the bank has said last.
  await waitsAs(paymentId, "refund_declined");
  await pastHorizon(paymentId);
  await eventually(async () => {
    const rested = await payments.query(
      `update payments.payment set updated_at = now() - interval '1 minute', recover_at = now() + interval '1 hour'
       where payment_id = $1 and lease_token is null returning payment_id`,
      [paymentId],
    );
    return rested.length === 1;
  });
  expect(await payments.read(paymentId, merchantId)).toMatchObject({ result: { status: "ENROLLED" } });
  expect(
    await payments.query(
      `select last_inquiry, recover_at > now() + interval '30 minutes' as rests,
         updated_at > now() - interval '30 seconds' as asked
       from payments.payment where payment_id = $1`,
      [paymentId],
    ),
  ).toEqual([{ last_inquiry: "refund_declined", rests: true, asked: true }]);
  expect(await sendings(paymentId, "refund")).toBe(1);
});

test("people end it as FAILED once its money was paid back in the bank's panel", async () => {
  const paymentId = await refundDeclined();
  const panel = bank.connect();
  const refund = {
    reference: "panel",
    orderId: orderIdOf(paymentId),
    parentReference: paymentId,
    amountMinor: 10_000n,
    currency: "TRY",
    target: { amountMinor: 10_000n, at: new Date() },
    waitUntil: new Date(Date.now() + 60_000),
  };
  expect(await panel.refund(refund)).toMatchObject({ kind: "approved" });
  await panel.close();
  await waitsAs(paymentId, "refund_mismatch");
  const say = (name: string) =>
    payments.operate(
      operations.resolvePayment.command,
      { paymentId, outcome: "FAILED", evidence: "the bank's panel" },
      name,
    );
  expect(await say("alice")).toMatchObject({ outcome: "done" });
  // Recovery may be asking the bank at the moment.
  await eventually(async () =>
    expect(await say("bora")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "resolved" } },
    }),
  );
  expect((await bank.ledger(paymentId)).filter((line) => line.includes("approved"))).toEqual([
    "sale approved 10000",
    "refund approved 10000",
  ]);
});

test("no refund is sent beside a void that took effect, and that the record showed too late", async () => {
  // The bank's answers to the two voids do not reveal their effects: the first has voided the sale, and the
  // second did nothing.
  await bank.will("void", "unlisted_done");
  await bank.will("void", "unlisted_not_done");
  const paymentId = await sellInDoubt("unlisted_done", 2);
  // The record lags by half an hour: it shows the sale, and no void of it.
  await bank.advance(3_600);
  await bank.mode({ historyLagSeconds: 1_800 });
  await waitsAs(paymentId, "reversal_may_arrive");
  await bank.mode({ historyLagSeconds: 0 });
  await pastHorizon(paymentId);
  await failed(paymentId);
  expect(await sendings(paymentId, "refund")).toBe(0);
  expect(await bank.ledger(paymentId)).toEqual(["sale approved 10000", "void approved 10000"]);
});
