import { describe, expect, test } from "vitest";
import { z } from "zod";
import { JsonNumber } from "../json-number.ts";
import { browserSchema } from "./browser-field.ts";
import {
  BASKET_ITEMS_MAX,
  checkBasket,
  checkDetailsForCard,
  orderDetailFields,
  orderDetailsOf,
  orderDetailsSchema,
} from "./order-details.ts";

const number = (source: string) => new JsonNumber(source);
const item = (amount = "12.50", change: object = {}) => ({
  id: "sku-1",
  name: "Lamp",
  category: "Home",
  kind: "physical",
  amount: number(amount),
  ...change,
});
const address = { line1: "Harbour Street 1", city: "Izmir", country: "TR" };
const browser = { browserAcceptHeader: "*/*", browserUserAgent: "Test/1.0", browserLanguage: "tr-TR" };
const PAN = "4111111111111111";

/** Fields at fault with their codes, from the schema and the checks between fields. */
function faults(details: Record<string, unknown>, amount = "12.50"): Record<string, string> {
  const found: Record<string, string> = {};
  const note = (field: string, code: string) => void (found[field] ??= code);
  const parsed = z.object(orderDetailFields).safeParse(details);
  for (const issue of parsed.error?.issues ?? []) {
    const params = "params" in issue ? (issue.params as { code?: string } | undefined) : undefined;
    note(issue.path.join("."), params?.code ?? issue.code);
  }
  checkBasket({ ...details, amount: number(amount), currency: "TRY" }, note);
  checkDetailsForCard(details, PAN, note);
  return found;
}

test("whole details have no fault, and none of them has to be there", () => {
  expect(faults({})).toEqual({});
  const customer = {
    email: "ada@example.com",
    phone: "+905551234567",
    name: "Ada Lovelace",
    identityNumber: "11111111111",
    billingAddress: address,
    shippingAddress: { ...address, contactName: "Ada", line2: "Floor 2", postalCode: "35000" },
  };
  const initiator = { by: "merchant", channel: "recurring", firstSchemeTransactionId: "MCC123456" };
  const basket = [item("10"), item("2.5", { kind: "virtual" })];
  expect(faults({ customer, basket, browser, description: "Order A-1", initiator })).toEqual({});
});

describe("one field at fault", () => {
  test.each([
    [{ customer: { email: "ada" } }, "customer.email", "invalid_format"],
    [
      {
        customer: {
          email: `ada@${"a.".repeat(4)}${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}`,
        },
      },
      "customer.email",
      "too_big",
    ],
    [{ customer: { email: "4012888888881881@example.com" } }, "customer.email", "card_number"],
    [{ customer: { phone: "05551234567" } }, "customer.phone", "invalid_format"],
    [{ customer: { name: "5105 1051 0510 5100" } }, "customer.name", "card_number"],
    [{ customer: { identityNumber: "12-34" } }, "customer.identityNumber", "invalid_format"],
    [{ customer: { identityNumber: "4012888888881881" } }, "customer.identityNumber", "card_number"],
    [{ customer: { billingAddress: { ...address, city: "" } } }, "customer.billingAddress.city", "too_short"],
    [{ customer: { shippingAddress: { line1: "1" } } }, "customer.shippingAddress.city", "invalid_type"],
    [{ basket: [] }, "basket", "too_small"],
    [{ basket: Array.from({ length: BASKET_ITEMS_MAX + 1 }, () => item("0.01")) }, "basket", "too_big"],
    [{ basket: [item("12.50", { kind: "other" })] }, "basket.0.kind", "invalid_value"],
    [{ basket: [item("12.50", { name: "a\u0000" })] }, "basket.0.name", "invalid_characters"],
    [{ basket: [item("12.5"), item("0")] }, "basket.1.amount", "must_be_positive"],
    [{ basket: [item("12.505")] }, "basket.0.amount", "too_many_decimals"],
    [{ description: "x".repeat(201) }, "description", "too_long"],
    [{ initiator: { by: "nobody", channel: "moto" } }, "initiator.by", "invalid_value"],
    [{ browser: { ...browser, browserTZ: "east" } }, "browser.browserTZ", "invalid_format"],
    [{ browser: { ...browser, browserColorDepth: "25" } }, "browser.browserColorDepth", "invalid_value"],
    [{ browser: { ...browser, browserUserAgent: "a\nb" } }, "browser.browserUserAgent", "invalid_format"],
  ])("%j", (details, field, code) => {
    expect(faults(details)[field]).toBe(code);
  });
});

test.each([
  [["12.50"], {}],
  [["12.49"], { basket: "sum_mismatch" }],
  [["12.51"], { basket: "sum_mismatch" }],
  [["6.25", "6.25"], {}],
  [["6.25", "6.26"], { basket: "sum_mismatch" }],
])("a basket of %j for 12.50 has the faults %j", (amounts, expected) => {
  expect(faults({ basket: amounts.map((amount) => item(amount)) })).toEqual(expected);
});

test.each([
  [
    { customer: { billingAddress: { ...address, line1: "4111 1111 1111 1111" } } },
    "customer.billingAddress.line1",
  ],
  [{ basket: [item("12.50", { id: PAN })] }, "basket.0.id"],
  [{ browser: { ...browser, browserUserAgent: `Test/${PAN}` } }, "browser.browserUserAgent"],
  [
    { initiator: { by: "merchant", channel: "recurring", firstSchemeTransactionId: PAN } },
    "initiator.firstSchemeTransactionId",
  ],
])("the number of the card that pays is found wherever it is: %j", (details, field) => {
  expect(faults(details)[field]).toBe("card_number");
});

test("a phone number may be an American Express card's of another buyer, and not the one that pays", () => {
  const amex = "378282246310005";
  const details = { customer: { phone: `+${amex}` } };
  expect(faults(details)).toEqual({});
  const found: string[] = [];
  checkDetailsForCard(details, amex, (field) => found.push(field));
  expect(found).toEqual(["customer.phone"]);
});

test("a phone number with a card number's check digit is one", () => {
  expect(faults({ customer: { phone: "+4915112345673" } })).toEqual({});
});

test("details travel with amounts in minor units, and nothing travels where there are none", () => {
  const request = { basket: [item("12.5") as never], currency: "TRY" };
  const details = orderDetailsOf({ ...request, customer: { name: "Ada" } });
  expect(details).toEqual({
    customer: { name: "Ada" },
    basket: [{ id: "sku-1", name: "Lamp", category: "Home", kind: "physical", amountMinor: "1250" }],
  });
  expect(orderDetailsSchema.parse(JSON.parse(JSON.stringify(details)))).toEqual(details);
  expect(orderDetailsOf({ currency: "TRY" })).toBeUndefined();
});

test("a browser has the names of EMV 3-D Secure", () => {
  expect(Object.keys(browserSchema.shape).filter((name) => !name.startsWith("browser"))).toEqual([
    "challengeWindowSize",
  ]);
});
