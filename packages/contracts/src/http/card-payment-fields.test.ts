import { describe, expect, test } from "vitest";
import { JsonNumber } from "../json-number.ts";
import { checkPreAuthorization, preAuthorizationRequestSchema } from "./pre-authorization.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

const valid = {
  orderId: "A-1",
  amount: new JsonNumber("12.50"),
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: "30",
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: new JsonNumber("443"),
  customerId: "c-1",
};

/** Fields at fault, from both the schema and the checks between fields. */
function faults(change: Record<string, unknown>, now = NOW): Record<string, string> {
  const body: Record<string, unknown> = { ...valid, ...change };
  const found: Record<string, string> = {};
  for (const issue of preAuthorizationRequestSchema.safeParse(body).error?.issues ?? []) {
    const params = "params" in issue ? (issue.params as { code?: string } | undefined) : undefined;
    found[String(issue.path[0])] ??= params?.code ?? issue.code;
  }
  checkPreAuthorization(body, now, (field, code) => (found[field] ??= code));
  return found;
}

test("a valid body has no fault", () => {
  expect(faults({})).toEqual({});
  expect(faults({ customerId: undefined })).toEqual({});
});

describe("one field at fault", () => {
  test.each([
    [{ orderId: "" }, { orderId: "too_short" }],
    [{ orderId: "   " }, { orderId: "too_short" }],
    [{ orderId: "x".repeat(65) }, { orderId: "too_long" }],
    [{ orderId: "a\r\nb" }, { orderId: "invalid_characters" }],
    [{ orderId: "a\u0000b" }, { orderId: "invalid_characters" }],
    [{ orderId: "a\u202Eb" }, { orderId: "invalid_characters" }],
    [{ orderId: "\uD800" }, { orderId: "invalid_characters" }],
    [{ orderId: "order 4111111111111111" }, { orderId: "card_number" }],
    [{ customerId: "4111 1111 1111 1111" }, { customerId: "card_number" }],
    [{ cardHolderName: "4111-1111-1111-1111" }, { cardHolderName: "card_number" }],
    [{ orderId: "４１１１１１１１１１１１１１１１" }, { orderId: "card_number" }],
    [{ orderId: "4111111111111111" }, { orderId: "card_number" }],
    [{ orderId: "5105 1051 0510 5100" }, { orderId: "card_number" }],
    [{ customerId: "5105105105105100" }, { customerId: "card_number" }],
    [{ cardHolderName: "٤١١١١١١١١١١١١١١١" }, { cardHolderName: "card_number" }],
    // Begins like no scheme's, so that it is a card number only beside the same one.
    [{ pan: "1000000000009", customerId: "c-1000 0000 0000 9" }, { customerId: "card_number" }],
    [{ pan: "1000000000009", orderId: "１０００００００００００９" }, { orderId: "card_number" }],
    [{ pan: "1000000000009", cardHolderName: "١٠٠٠٠٠٠٠٠٠٠٠٩" }, { cardHolderName: "card_number" }],
    [{ cardHolderName: "A" }, { cardHolderName: "too_short" }],
    [{ cardHolderName: "x".repeat(46) }, { cardHolderName: "too_long" }],
    [{ amount: "12.34" }, { amount: "custom" }],
    [{ amount: new JsonNumber("100.5"), currency: "JPY" }, { amount: "too_many_decimals" }],
    [{ amount: new JsonNumber("1.2345"), currency: "KWD" }, { amount: "too_many_decimals" }],
    [{ currency: "try" }, { currency: "invalid_currency" }],
    [{ pan: "4111111111111112" }, { pan: "luhn" }],
    [{ pan: "4111 1111 1111 1111" }, { pan: "invalid_format" }],
    [{ pan: "41111111111" }, { pan: "invalid_format" }],
    [{ expiryMonth: "13" }, { expiryMonth: "invalid_format" }],
    [{ expiryMonth: "1" }, { expiryMonth: "invalid_format" }],
    [{ expiryYear: "2030" }, { expiryYear: "invalid_format" }],
    [{ expiryYear: "25" }, { expiryYear: "expired" }],
    [{ expiryYear: "47" }, { expiryYear: "too_far" }],
    [{ cvv: "12" }, { cvv: "invalid_format" }],
    [{ pan: "378282246310005", cvv: "123" }, { cvv: "invalid_format" }],
    [{ requestIp: "999.1.1.1" }, { requestIp: "invalid_ip_address" }],
    [{ requestIp: "fe80::1%eth0" }, { requestIp: "invalid_ip_address" }],
    [{ requestPort: new JsonNumber("0") }, { requestPort: "out_of_range" }],
    [{ requestPort: new JsonNumber("65536") }, { requestPort: "out_of_range" }],
    [{ requestPort: new JsonNumber("1.5") }, { requestPort: "out_of_range" }],
    [{ requestPort: "443" }, { requestPort: "custom" }],
    [{ customerId: "" }, { customerId: "too_short" }],
    [{ customerId: null }, { customerId: "invalid_type" }],
  ])("%o", (change, expected) => {
    expect(faults(change)).toEqual(expected);
  });
});

test("faults of single fields and faults between fields show together", () => {
  expect(faults({ amount: new JsonNumber("1.234"), orderId: "", expiryYear: "20", requestIp: "x" })).toEqual({
    amount: "too_many_decimals",
    orderId: "too_short",
    expiryYear: "expired",
    requestIp: "invalid_ip_address",
  });
});

describe("accepted at the edge of what is valid", () => {
  test.each([
    { amount: new JsonNumber("999999999.99") },
    { amount: new JsonNumber("1.234"), currency: "KWD" },
    { pan: "378282246310005", cvv: "1234" },
    { orderId: "x".repeat(64) },
    // Another card's, maybe: a merchant's numeric order numbers are taken (docs/adr/0007).
    { orderId: "5105105105105100" },
    { customerId: "1000000000009" },
    { cardHolderName: "𝒜𝒷" },
    { cardHolderName: "مریم میرزاخانی" },
    { cardHolderName: "Nguye\u0302\u0303n" },
    { requestIp: "2001:db8::1" },
    { expiryYear: "46", expiryMonth: "12" },
  ])("%o", (change) => {
    expect(faults(change)).toEqual({});
  });
});

test("a card is good to the end of its month everywhere on earth", () => {
  const card = { expiryMonth: "11", expiryYear: "26" };
  expect(faults(card, new Date("2026-12-01T11:59:00Z"))).toEqual({});
  expect(faults(card, new Date("2026-12-01T12:01:00Z"))).toEqual({ expiryYear: "expired" });
});
