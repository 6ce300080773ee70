import { INSTALLMENT_PRICES_MAX, type InstallmentPrice } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { BODY_BYTES_MAX } from "./read-body.ts";

test("a full list of an account's prices fits into a request: those that end, and those that follow them", () => {
  const prices = Array.from({ length: INSTALLMENT_PRICES_MAX }, (_, index): InstallmentPrice => ({
    loyaltyCode: "CARDFINANS",
    installmentCount: 12,
    payer: "MERCHANT",
    ratePercent: "19.9999",
    from: "2026-12-01",
    ...(index % 2 === 0 && { to: "2027-01-01" }),
  }));
  const body = JSON.stringify({ version: 1_000_000, prices });
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_BYTES_MAX);
});
