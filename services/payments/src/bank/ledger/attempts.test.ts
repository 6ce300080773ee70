import { expect, test } from "vitest";
import { followUpOf, type OrderedPayment } from "./attempts.ts";

const BEFORE_MIDNIGHT = new Date("2026-11-30T23:59:58Z");
const AFTER_MIDNIGHT = new Date("2026-12-01T00:00:01Z");
const SALE: OrderedPayment = {
  payment_id: "019ab2f4-7100-7d7f-89a0-fa1c3d815db2",
  merchant_id: "0e1c7a52-6f0a-4b7e-9d53-2f8e6a1b4c90",
  transaction_type: "PAYMENT",
  amount_minor: 10_000n,
  captured_minor: 0n,
  currency: "TRY",
  installment_count: 1,
  external_transaction_id: "T1",
  created_at: BEFORE_MIDNIGHT,
  recovery_from: null,
  account_id: "7b2d9c14-38ae-4f61-8c05-d1e4f7a92b36",
};

test("a follow-up is about the day of the claim, or of a later call that charged: a second one, or that of 3-D Secure", () => {
  expect(followUpOf(SALE).target.at).toEqual(BEFORE_MIDNIGHT);
  expect(followUpOf({ ...SALE, recovery_from: AFTER_MIDNIGHT }).target.at).toEqual(AFTER_MIDNIGHT);
});
