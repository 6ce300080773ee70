import { expect, test } from "vitest";
import { cardPaymentFields } from "./card-payment-fields.ts";
import { MERCHANT_FIELDS, merchantFieldsOf, type MerchantFields } from "./merchant-fields.ts";

const SENT: MerchantFields = {};
for (const field of MERCHANT_FIELDS) SENT[field] = `${field} of the merchant`;

test("every field of the merchant's own is one of a card payment's request", () => {
  expect(Object.keys(cardPaymentFields)).toEqual(expect.arrayContaining(MERCHANT_FIELDS));
});

test("the merchant's own fields of a request are taken, and nothing else of it", () => {
  const request = { ...SENT, orderId: "order-1", pan: "4111111111111111" };
  expect(merchantFieldsOf(request)).toEqual(SENT);
  expect(merchantFieldsOf({})).toEqual({});
});
