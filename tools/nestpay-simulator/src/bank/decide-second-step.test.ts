import { expect, test } from "vitest";

import { payment, rules } from "../../test/orders.ts";
import { faultOfSecondStep, type AuthenticatedForm } from "./decide-second-step.ts";
import type { Authentication } from "./ledger-line.ts";
import type { PaymentRequest } from "./money-request.ts";

const authentication: Authentication = { mdStatus: "1", eci: "05", cavv: "cavv", xid: "xid" };
const right = { xid: "xid", eci: "05", cavv: "cavv" };
const form: AuthenticatedForm = {
  operation: "sale",
  orderId: "o",
  amountMinor: 1_250n,
  currency: "TRY",
  installments: 1,
  authentication,
};

test("a payment with what the authentication has given is not at fault", () => {
  expect(fault()).toBeUndefined();
});

test("the same XID is not used twice, even where the bank has forgotten its form", () => {
  expect(fault({ isXidUsed: true })).toBe(2127);
  expect(faultOfSecondStep(undefined, payment(), right, true, rules())).toBe(2127);
});

test("an md that the bank does not know is no card number", () => {
  expect(faultOfSecondStep(undefined, payment(), right, false, rules())).toBe(2012);
});

test("an unanswered challenge pays nothing", () => {
  expect(fault({ form: { authentication: undefined } })).toBe(2206);
});

test.each(["xid", "eci", "cavv"])("another %s than the authentication's is refused", (name) => {
  expect(fault({ card: { [name]: "other" } })).toBe(2121);
});

test.each([
  ["order", { orderId: "other" }],
  ["amount", { amountMinor: 1_251n }],
  ["currency", { currency: "EUR" }],
  ["operation", { operation: "authorize" }],
] as const)("another %s than the form's is refused", (_, request) => {
  expect(fault({ request })).toBe(2121);
});

test("another number of installments than the form's is refused", () => {
  expect(fault({ request: { installments: 2 } })).toBe(2601);
});

test.each(["2", "3", "4"])("mdStatus %s suffices only where half-secure payments are allowed", (mdStatus) => {
  const half = { form: { authentication: { ...authentication, mdStatus } } };
  expect(fault(half)).toBe(2206);
  expect(fault({ ...half, halfSecure: true })).toBeUndefined();
});

test.each(["0", "5", "6", "7", "8"])("mdStatus %s never suffices", (mdStatus) => {
  expect(fault({ form: { authentication: { ...authentication, mdStatus } }, halfSecure: true })).toBe(2206);
});

function fault(
  given: {
    form?: Partial<AuthenticatedForm>;
    request?: Partial<PaymentRequest>;
    card?: object;
    isXidUsed?: boolean;
    halfSecure?: boolean;
  } = {},
) {
  return faultOfSecondStep(
    { ...form, ...given.form },
    payment(given.request),
    { ...right, ...given.card },
    given.isXidUsed ?? false,
    rules({ halfSecure: given.halfSecure ?? false }),
  );
}
