import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orderIdOf } from "@holdfast/acquirer";
import { operations } from "@holdfast/contracts";
import { dayEndFarAway } from "../support/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";

/** Payments that have to be given back, of which the bank's staff have refunded something in its panel before. */
describe.each([
  ["akbank", { pan: "4355093000315232", cvv: "471" }],
  ["iyzico", { pan: "5890040000000016", cvv: "123" }],
] as const)("at %s a sale that has to be reversed", (protocol, cardData) => {
  let payments: PaymentsHarness;
  let bank: PlayedBank;
  let dir: string;
  let merchantId: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "holdfast-panel-"));
    bank = await playBank(protocol, dir);
    payments = await startPaymentsHarness({
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      RECOVERY_INTERVAL: "1h",
    });
    const operators = accountOperators(payments, () => "");
    const accountId = await operators.account({ ...bank.account, businessDay: dayEndFarAway() });
    merchantId = await operators.merchantRoutedTo({ accountId });
  });
  afterAll(async () => {
    await payments.close();
    await bank.close();
    await rm(dir, { recursive: true });
  });

  /** A sale of two days ago whose answer said nothing. @param inPanelMinor refunded by the bank's staff since. */
  async function soldInDoubt(inPanelMinor: bigint): Promise<string> {
    await bank.will("sale", "unlisted_done");
    const sale = payments.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
    // A bank that confirms a sale by its record is asked at once.
    if (protocol === "akbank") await bank.will("inquire", "unlisted_done");
    const reply = await payments.call(operations.pay.command, sale, { merchant: { merchantId } });
    expect(reply).toMatchObject({ outcome: "pending" });
    await bank.closeDay();
    if (inPanelMinor > 0n) await refundInPanel(sale.paymentId, inPanelMinor);
    await age(sale.paymentId);
    return sale.paymentId;
  }

  async function refundInPanel(paymentId: string, amountMinor: bigint): Promise<void> {
    const panel = bank.connect();
    const about = { parentReference: paymentId, target: { amountMinor: 10_000n, at: new Date() } };
    const call = { ...about, reference: `panel-${amountMinor}`, orderId: orderIdOf(paymentId), amountMinor };
    const waitUntil = new Date(Date.now() + 60_000);
    expect(
      await panel.refund({ ...call, currency: "TRY", requestIp: "203.0.113.7", waitUntil }),
    ).toMatchObject({ kind: "approved" });
    await panel.close();
  }

  /** None of its calls can arrive any more. */
  async function age(paymentId: string): Promise<void> {
    const earlier = (column: string) => `${column} = ${column} - interval '2 days' where payment_id = $1`;
    await payments.query(`update payments.bank_call set ${earlier("sent_at")}`, [paymentId]);
    await payments.query(`update payments.payment set ${earlier("created_at")}`, [paymentId]);
  }

  const lookAgain = async (paymentId: string) => {
    await payments.operate(operations.reversePayment.command, { paymentId }, "alice");
    await age(paymentId);
    return await payments.operate(operations.getOperatorPayment.command, { paymentId });
  };
  const resolve = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
    payments.operate(operations.resolvePayment.command, { paymentId, outcome, evidence: "call 17" }, name);
  const refunds = async (paymentId: string) =>
    (await bank.ledger(paymentId)).filter((line) => line.startsWith("refund approved"));

  test("is FAILED once the whole was refunded there", async () => {
    const paymentId = await soldInDoubt(10_000n);
    await lookAgain(paymentId);
    expect(await lookAgain(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await refunds(paymentId)).toEqual(["refund approved 10000"]);
  });

  test("ends by the word of two people where a part was refunded there", async () => {
    const paymentId = await soldInDoubt(4_000n);
    for (let looks = 0; looks < 3; looks++) await lookAgain(paymentId);
    expect(await refunds(paymentId)).toEqual(["refund approved 4000"]);
    const outcome = protocol === "akbank" ? "FAILED" : "SUCCESS";
    expect(await resolve("alice", paymentId, outcome)).toMatchObject({ outcome: "done" });
    expect(await resolve("bora", paymentId, outcome)).toMatchObject({
      result: { payment: { status: outcome } },
    });
  });
});
