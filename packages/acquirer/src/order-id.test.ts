import { expect, test } from "vitest";
import { refundReference, withSubReference } from "./movement.ts";
import { namedBy, orderIdOf } from "./order-id.ts";

test("an order is named by the payment's id without hyphens, 32 characters", () => {
  expect(orderIdOf("019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c")).toBe("019c8f2e7a417d109b5c3f6e2d1a4b7c");
});

test("what an acquirer gives back names the payment or the refund that it begins with", () => {
  const id = "019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c";
  const payment = { what: "payment", id };
  expect(namedBy(orderIdOf(id))).toEqual(payment);
  expect(namedBy(id)).toEqual(payment);
  expect(namedBy(`${id}:capture:${id}`)).toEqual(payment);
  expect(namedBy(withSubReference(`${id}:cancel:${id}`, 2))).toEqual(payment);
  expect(namedBy(withSubReference(`${id}:reversal`, 2))).toEqual(payment);
  for (const sub of [1, 2])
    expect(namedBy(withSubReference(refundReference(id), sub))).toEqual({ what: "refund", id });
});

test("what is none of ours names nothing", () => {
  for (const name of [
    "",
    "order",
    "019C8F2E7A417D109B5C3F6E2D1A4B7C",
    `${"0".repeat(32)}0`,
    `x${"0".repeat(32)}`,
  ])
    expect(namedBy(name)).toBeUndefined();
  expect(namedBy(`019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c:capture:${"0".repeat(200)}`)).toBeUndefined();
});
