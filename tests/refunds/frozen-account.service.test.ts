import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { expect, onTestFinished, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { eventually, startTestBank, startTestLink } from "../support/index.ts";
import { FAST, startRefundsHarness } from "./refunds-harness.ts";

/** The times are longer than a test may take: a call hangs until the line is cut. */
const PATIENT = { ACQUIRER_TIMEOUT: "5m", LEASE_DURATION: "20m" };

test("refunds that hang at one account's bank take no worker from another's, not even of the same merchant's", async () => {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-frozen-"));
  const frozen = await startTestBank(dir, { hangMs: 600_000 });
  const line = await startTestLink(frozen.acquirer.url);
  const refunds = await startRefundsHarness({
    env: { ...FAST, ...PATIENT, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
    refunds: { RECOVERY_IN_FLIGHT_MAX: "2", ...PATIENT },
  });
  onTestFinished(async () => {
    line.cut();
    await refunds.close();
    await line.close();
    await frozen.acquirer.close();
    await rm(dir, { recursive: true });
  });
  const operators = accountOperators(refunds, () => line.url);
  const merchantId = await operators.merchantRoutedTo(
    { currency: "TRY", accountId: await operators.account() },
    {
      accountId: await operators.account({ currencies: ["EUR"], settings: { url: refunds.acquirer.url } }),
    },
  );
  const of = { merchant: { merchantId } };
  /** A refund whose answer is lost. @returns its id. */
  const loseRefund = async (currency: "TRY" | "EUR", bank: Pick<typeof frozen, "acquirerWill">) => {
    const sale = refunds.command({ ofMerchant: merchantId, amountMinor: "10000", currency });
    expect(await refunds.call(operations.pay.command, sale, of)).toMatchObject({ outcome: "done" });
    const refundId = randomUUID();
    const request = { refundId, paymentId: sale.paymentId, amountMinor: "2500", currency };
    expect(await refunds.call(operations.requestRefund.command, request, of)).toMatchObject({
      outcome: "done",
    });
    await bank.acquirerWill("refund", "reset");
    await refunds.approve(refundId);
    return refundId;
  };
  const working = async () => {
    const [row] = await refunds.query<{ count: number }>(
      "select count(*)::int as count from refunds.refund where currency = 'TRY' and lease_token is not null",
    );
    return row!.count;
  };

  await frozen.acquirerWill("inquire", "hang", 1_000);
  for (let lost = 0; lost < 4; lost++) await loseRefund("TRY", frozen);
  await eventually(async () => expect(await working()).toBe(2));

  expect(await refunds.settled(await loseRefund("EUR", refunds))).toBe("SUCCESS");
  expect(await working()).toBe(2);
});
