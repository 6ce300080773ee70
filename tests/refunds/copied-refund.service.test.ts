import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { dayEndFarAway, eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/** A bank of the Nestpay kind that takes equal refunds to a card for copies, whatever payment they are of. */
let refunds: RefundsHarness;
let bank: PlayedBank;
let dir: string;
let merchantId: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-copied-"));
  bank = await playBank("nestpay", dir);
  refunds = await startRefundsHarness({
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

const of = () => ({ merchant: { merchantId } });

async function sell(): Promise<string> {
  const cardData = { pan: "4355084355084358", cvv: "000" };
  const sale = refunds.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
  expect(await refunds.call(operations.pay.command, sale, of())).toMatchObject({ outcome: "done" });
  return sale.paymentId;
}

async function request(paymentId: string): Promise<string> {
  const refundId = randomUUID();
  const asked = { refundId, paymentId, amountMinor: "4000", currency: "TRY" };
  expect(await refunds.call(operations.requestRefund.command, asked, of())).toMatchObject({
    outcome: "done",
  });
  return refundId;
}

test("a refund that is answered with another payment's is not believed, and paid when the window is over", async () => {
  const [one, another] = [await sell(), await sell()];
  await bank.closeDay();
  await bank.mode({ duplicateWindowSeconds: 86_400, duplicateWindowOf: "card" });
  const first = await request(one);
  await refunds.approve(first);
  expect(await refunds.settled(first)).toBe("SUCCESS");
  const second = await request(another);
  expect(await refunds.approve(second)).toMatchObject({
    result: { state: "EXECUTING", lastInquiry: "mismatch" },
  });
  expect(await bank.ledger(another)).toEqual(["sale approved 10000"]);
  await bank.mode({ duplicateWindowSeconds: 0 });
  await eventually(async () => {
    await refunds.query(
      "update payments.bank_call set sent_at = now() - interval '2 days' where movement_id = $1",
      [second],
    );
    return (await bank.ledger(another)).length > 1;
  });
  expect(await refunds.settled(second)).toBe("SUCCESS");
  for (const paymentId of [one, another])
    expect(await bank.ledger(paymentId)).toEqual(["sale approved 10000", "refund approved 4000"]);
});
