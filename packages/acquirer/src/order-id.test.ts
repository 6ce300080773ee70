import { expect, test } from "vitest";
import { orderIdOf } from "./order-id.ts";

test("an order is named by the payment's id without hyphens, 32 characters", () => {
  expect(orderIdOf("019c8f2e-7a41-7d10-9b5c-3f6e2d1a4b7c")).toBe("019c8f2e7a417d109b5c3f6e2d1a4b7c");
});
