import { INSTALLMENT_PRICES_MAX, type InstallmentPrice } from "@holdfast/contracts";
import { expect, test } from "vitest";
import type { AccountAttributes } from "../../bank/account/account-tables.ts";
import { auditedAttributes } from "./audited-attributes.ts";

const ATTRIBUTES: AccountAttributes = {
  name: "Bank A",
  state: "ACTIVE",
  currencies: ["TRY"],
  businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" },
  lateArrivalSeconds: 300,
  connectionsMax: 256,
  default: false,
  secretsChange: false,
};
const PRICE: InstallmentPrice = {
  loyaltyCode: "CARDFINANS",
  installmentCount: 12,
  payer: "MERCHANT",
  ratePercent: "19.9999",
  from: "2026-12-01",
  to: "2027-01-01",
};

test("prices are lines in the log, which say who pays which rate from which day to which; the rest stays as it is", () => {
  const installmentPrices = [PRICE, { ...PRICE, loyaltyCode: undefined, to: undefined }];
  expect(auditedAttributes({ ...ATTRIBUTES, installmentPrices })).toEqual({
    ...ATTRIBUTES,
    installmentPrices: [
      "12 MERCHANT 19.9999 2026-12-01/2027-01-01 CARDFINANS",
      "12 MERCHANT 19.9999 2026-12-01/",
    ],
  });
  expect(auditedAttributes(ATTRIBUTES)).toEqual(ATTRIBUTES);
});

test("fifty entries with the longest list fit into a message of the bus, which has 1 MiB", () => {
  const installmentPrices = Array.from({ length: INSTALLMENT_PRICES_MAX }, () => PRICE);
  const detail = JSON.stringify(auditedAttributes({ ...ATTRIBUTES, installmentPrices }));
  expect(50 * Buffer.byteLength(detail)).toBeLessThan(1_000_000);
});
