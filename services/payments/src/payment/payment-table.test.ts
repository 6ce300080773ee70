import { MERCHANT_FIELDS, type MerchantFields } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { merchantColumns, merchantFieldsIn, PAYMENT_COLUMNS } from "./payment-table.ts";

const SENT: MerchantFields = {};
for (const field of MERCHANT_FIELDS) SENT[field] = `${field} of the merchant`;

test("every field of the merchant's own is shown as it was sent; one without a value is left out", () => {
  expect(merchantFieldsIn(merchantColumns(SENT))).toEqual(SENT);
  expect(Object.keys(merchantFieldsIn(merchantColumns({})))).toEqual([]);
});

test("every field of the merchant's own has a column that a payment's first row is written with", () => {
  const written = PAYMENT_COLUMNS.map(([column]) => column);
  expect(Object.keys(merchantColumns(SENT))).toHaveLength(MERCHANT_FIELDS.length);
  expect(written).toEqual(expect.arrayContaining(Object.keys(merchantColumns(SENT))));
});
