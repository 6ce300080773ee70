import {
  checkPreAuthorization,
  createMerchantRequestSchema,
  preAuthorizationRequestSchema,
  type FieldFault,
} from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import { preAuthorizationBody } from "../../test/builders.ts";
import { parseJson } from "./parse-json.ts";
import { parseRequest } from "./parse-request.ts";
import { Refusal } from "../http/refusal.ts";

/** Field and code of each fault, as `field code`. */
function faultsOf(parsed: unknown): string[] {
  if (!(parsed instanceof Refusal)) return [];
  const errors = (parsed.extra?.members?.errors ?? []) as FieldFault[];
  return errors.map(({ field, code }) => `${field} ${code}`);
}

function parsePayment(text: string) {
  return parseRequest(preAuthorizationRequestSchema, parseJson(Buffer.from(text)), {
    check: checkPreAuthorization,
  });
}

function paymentFaults(fields: Record<string, string>): string[] {
  return faultsOf(parsePayment(preAuthorizationBody(fields)));
}

test("a valid body is taken, and fields the contract does not know are left out", () => {
  const parsed = parsePayment(preAuthorizationBody({ status: '"SUCCESS"', merchantId: '"x"' }));
  expect(parsed).not.toBeInstanceOf(Refusal);
  expect(parsed).toMatchObject({ orderId: "order-1", amount: { source: "12.50" } });
  expect(parsed).not.toHaveProperty("status");
  expect(parsed).not.toHaveProperty("merchantId");
});

describe("amounts", () => {
  test.each([
    ["1e400", "TRY", "amount invalid_amount"],
    ["1e-3", "TRY", "amount too_many_decimals"],
    ["-0", "TRY", "amount invalid_amount"],
    ["-1", "TRY", "amount invalid_amount"],
    ['"12.34"', "TRY", "amount invalid_type"],
    ["null", "TRY", "amount invalid_type"],
    ["[12]", "TRY", "amount invalid_type"],
    ["true", "TRY", "amount invalid_type"],
    ["0", "TRY", "amount must_be_positive"],
    ["0.00", "TRY", "amount must_be_positive"],
    ["9007199254740993", "TRY", "amount too_large"],
    ["1000000000", "TRY", "amount too_large"],
    ["999999999.995", "TRY", "amount too_many_decimals"],
    ["100.5", "JPY", "amount too_many_decimals"],
    ["1.2345", "KWD", "amount too_many_decimals"],
  ])("%s %s is refused", (amount, currency, fault) => {
    expect(paymentFaults({ amount, currency: `"${currency}"` })).toEqual([fault]);
  });

  test.each([
    ["999999999.99", "TRY"],
    ["1.234", "KWD"],
    ["100", "JPY"],
    ["0.01", "TRY"],
    ["1.5", "TRY"],
  ])("%s %s is taken", (amount, currency) => {
    expect(paymentFaults({ amount, currency: `"${currency}"` })).toEqual([]);
  });

  test("01.00 is no JSON", () => {
    expect(parseJson(Buffer.from(preAuthorizationBody({ amount: "01.00" })))).toMatchObject({
      code: "malformed_json",
    });
  });
});

describe("all faults are told at once", () => {
  test("of an empty object: each required field, in the contract's order", () => {
    expect(faultsOf(parsePayment("{}"))).toEqual([
      "orderId required",
      "amount required",
      "currency required",
      "cardHolderName required",
      "pan required",
      "expiryMonth required",
      "expiryYear required",
      "cvv required",
      "requestIp required",
      "requestPort required",
    ]);
  });

  test("with one fault for each field, the first, and those between fields in their place", () => {
    expect(
      paymentFaults({
        orderId: '""',
        amount: "100.5",
        currency: '"JPY"',
        cardHolderName: '"A\\r\\nB"',
        pan: '"4111 1111 1111 1112"',
        expiryMonth: '"13"',
        expiryYear: '"20"',
        cvv: "123",
        requestIp: '"localhost"',
        requestPort: "65536",
        customerId: `"${"c".repeat(65)}"`,
      }),
    ).toEqual([
      "orderId too_short",
      "amount too_many_decimals",
      "cardHolderName invalid_characters",
      "pan invalid_format",
      "expiryMonth invalid_format",
      "expiryYear expired",
      "cvv invalid_type",
      "requestIp invalid_ip_address",
      "requestPort out_of_range",
      "customerId too_long",
    ]);
  });

  test.each([
    ["a wrong check digit", { pan: '"4111111111111112"' }, "pan luhn"],
    ["three digits of an American Express cvv", { pan: '"378282246310005"' }, "cvv invalid_format"],
    ["an unknown currency", { currency: '"ABC"' }, "currency invalid_currency"],
    ["a lower-case currency", { currency: '"try"' }, "currency invalid_currency"],
    ["a card number in the order's id", { orderId: '"4111-1111-1111-1111"' }, "orderId card_number"],
    ["a port with a fraction", { requestPort: "1.5" }, "requestPort out_of_range"],
    ["a lone surrogate", { cardHolderName: '"Ada \\ud800"' }, "cardHolderName invalid_characters"],
    ["NUL", { cardHolderName: '"Ada \\u0000"' }, "cardHolderName invalid_characters"],
    ["a bidirectional control", { cardHolderName: '"Ada \u202e"' }, "cardHolderName invalid_characters"],
  ])("%s", (_case, fields: Record<string, string>, fault) => {
    expect(paymentFaults(fields)).toEqual([fault]);
  });
});

test.each(["[]", "null", "1", '"text"'])("a body of %s is at fault as a whole", (text) => {
  const refusal = parsePayment(text) as Refusal;
  expect(refusal.extra?.members).toEqual({
    errors: [{ field: "body", code: "invalid_type", message: "must be an object" }],
  });
});

test("nested fields are named by their path", () => {
  const body = { name: "A shop", commission: { ratePercent: 3, currency: "TRY" } };
  expect(faultsOf(parseRequest(createMerchantRequestSchema, body))).toEqual([
    "commission.ratePercent invalid_type",
    "commission.fixed required",
  ]);
});

test("no fault repeats a value", () => {
  const refusal = parsePayment(
    preAuthorizationBody({ pan: '"4111111111111112"', cvv: '"98765"', orderId: '"order\\u0000secret"' }),
  );
  expect(JSON.stringify(refusal)).not.toMatch(/4111|98765|secret/);
});

test.each(["orderId", "currency", "cardHolderName", "pan", "cvv", "expiryYear", "requestIp", "customerId"])(
  "ten times as much in %s takes about ten times as long, and not a hundred times",
  (field) => {
    const [short, long] = [20_000, 200_000].map((length) => ({ [field]: `"${"9".repeat(length)}"` }));
    // The least of several rounds is its own time, without other work on the processor.
    const [ofShort, ofLong] = [leastMs(() => paymentFaults(short!)), leastMs(() => paymentFaults(long!))];
    expect(ofLong / ofShort).toBeLessThan(40);
  },
);

function leastMs(work: () => void): number {
  const rounds = Array.from({ length: 15 }, () => {
    const { user, system } = process.cpuUsage();
    work();
    const after = process.cpuUsage({ user, system });
    return (after.user + after.system) / 1_000;
  });
  return Math.max(Math.min(...rounds), LEAST_MEASURED_MS);
}

/** Below this a figure is the clock's grain. */
const LEAST_MEASURED_MS = 0.05;
