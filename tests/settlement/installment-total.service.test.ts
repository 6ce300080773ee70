import { randomUUIDv7 } from "node:crypto";
import { operations, type InstallmentPrice } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

const PRICE: InstallmentPrice = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: "2020-01-01",
};
const DAY = "2026-03-11";

let system: SettlementHarness;
beforeAll(async () => {
  system = await startSettlementHarness({
    envOf: { payments: { ACCOUNT_REFRESH: "50ms" }, settlement: { MATCH_INTERVAL: "50ms" } },
  });
  await system.query(
    `update payments.acquirer_account_version
     set attributes = attributes || jsonb_build_object('installmentPrices', $2::jsonb) where account_id = $1`,
    [TEST_ACCOUNT_ID, JSON.stringify([PRICE])],
  );
});
afterAll(() => system.close());

/** The totals that the merchant's API shows for 1 249.99. */
async function offered(): Promise<number | undefined> {
  const order = { amountMinor: "124999", currency: "TRY" };
  const reply = await system.call(operations.getBin.command, { bin: "41111111", order });
  const { installments } = "result" in reply ? reply.result : {};
  return installments?.find(({ installmentCount }) => installmentCount === 3)?.installmentTotal;
}

const line = (kind: string, reference: string, gross: bigint) =>
  genericLine({
    kind,
    reference,
    bank_reference: `b-${reference}`,
    gross: decimalText(gross),
    net: decimalText(gross),
    settles_on: DAY,
  });

test("the offered total is what is charged, refunded, compared with the bank's file and stated, to the kuruş", async () => {
  await eventually(async () => expect(await offered()).toBe(1296.86));
  const paymentId = randomUUIDv7();
  const command = {
    ...system.command({ amountMinor: "124999", paymentId }),
    installmentCount: 3,
    installmentTotalMinor: "129686",
  };
  expect(await system.call(operations.pay.command, command)).toMatchObject({
    result: { status: "SUCCESS", amount: 1249.99, installmentTotal: 1296.86 },
  });
  const ledger = await system.bank!.wholeLedger();
  expect(ledger.filter(({ reference }) => reference === paymentId)).toMatchObject([{ amountMinor: 129_686 }]);
  const tooMuch = { refundId: randomUUIDv7(), paymentId, amountMinor: "129687", currency: "TRY" };
  expect(await system.call(operations.requestRefund.command, tooMuch)).toMatchObject({
    code: "refund_amount_exceeds_remaining",
    extra: { remainingRefundableAmount: 1296.86 },
  });
  // The refundable amount exceeds the price: the buyer gets back everything that was paid.
  const refunds = [await system.refund(paymentId, "125000"), await system.refund(paymentId, "4686")];
  for (const id of [paymentId, ...refunds])
    await eventually(async () => expect(await system.fact(id)).toMatchObject({ standing: "DONE" }));
  expect(await system.fact(paymentId)).toMatchObject({ kind: "SALE", amount_minor: "129686" });
  await system.query("update settlement.account set settlement_days = 400");
  const lines = [
    line("SALE", paymentId, 129_686n),
    line("REFUND", refunds[0]!, -125_000n),
    line("REFUND", refunds[1]!, -4_686n),
  ];
  expect(await system.bankFiles.take(...lines)).toMatchObject({ code: 0 });
  await eventually(async () => {
    const asked = { from: DAY, to: DAY, limit: 50 };
    expect(await system.call(operations.listStatements.command, asked)).toMatchObject({
      result: { items: [{ day: DAY, salesAmount: 1296.86, refundsAmount: 1296.86, lines: 3 }] },
    });
  });
  expect(await system.query("select from settlement.difference")).toEqual([]);
});
