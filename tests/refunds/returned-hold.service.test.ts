import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { captureLog, dayEndFarAway, eventually, type LogLine } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/** A bank that makes a hold valid again when its capture is voided: the buyer's limit would stay blocked. */
let refunds: RefundsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-hold-"));
  bank = await playBank("nestpay", dir);
  await bank.mode({ voidReturnsHold: true });
  refunds = await startRefundsHarness({
    log: () => log,
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  const operators = accountOperators(refunds, () => "");
  const terms = { businessDay: dayEndFarAway(), lateArrivalSeconds: 0 };
  merchantId = await operators.merchantRoutedTo({
    accountId: await operators.account({ ...bank.account, ...terms }),
  });
});
afterAll(async () => {
  await refunds.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

/** A refund of all of a capture, on its day. @param behaviours of the bank at the voids. */
async function refundedCapture(...behaviours: string[]): Promise<string> {
  const of = { merchant: { merchantId } };
  const cardData = { pan: "4355084355084358", cvv: "000" };
  const { paymentId, ...command } = refunds.command({
    ofMerchant: merchantId,
    amountMinor: "12000",
    cardData,
  });
  const held = await refunds.call(operations.preAuthorize.command, { paymentId, ...command }, of);
  expect(held).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  const capture = { paymentId, operationId: randomUUID(), amount: "100.00" };
  expect(await refunds.call(operations.capture.command, capture, of)).toMatchObject({ outcome: "done" });
  for (const behaviour of behaviours) await bank.will("void", behaviour);
  const refundId = randomUUID();
  const asked = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
  expect(await refunds.call(operations.requestRefund.command, asked, of)).toMatchObject({ outcome: "done" });
  await refunds.approve(refundId);
  // The refund is so old that none of its calls can arrive any more.
  const call = "movement_id = $1 and kind = 'refund' returning payment_id";
  await eventually(
    async () =>
      (
        await refunds.query(
          `update payments.bank_call set sent_at = sent_at - interval '2 days' where ${call}`,
          [refundId],
        )
      ).length === 1,
  );
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  return paymentId;
}

const voids = async (paymentId: string) =>
  (await bank.ledger(paymentId)).filter((line) => line.startsWith("void"));
const told = (paymentId: string) => lines.filter((line) => line["paymentId"] === paymentId && isOfHold(line));
const isOfHold = ({ msg }: LogLine) =>
  msg === "the bank does not release the hold of a capture that was voided";

test.each([
  ["is answered", []],
  ["is carried out and not answered", ["http_500"]],
])("a refund of all of a capture, of which the void %s, leaves no hold", async (_, behaviours) => {
  const paymentId = await refundedCapture(...behaviours);
  expect(await voids(paymentId)).toEqual(["void approved 10000", "void approved 12000"]);
  expect(told(paymentId)).toEqual([]);
});

test("a hold that the bank does not release is told to people, and the refund is paid", async () => {
  const paymentId = await refundedCapture("interim", "decline");
  expect(await voids(paymentId)).toEqual(["void approved 10000", "void declined 12000"]);
  expect(told(paymentId)).toHaveLength(1);
});
