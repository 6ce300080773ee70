import type { CheckoutPage } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { shopUrl } from "./shop-url.ts";

const checkout = {
  status: "COMPLETED",
  checkoutId: "c-1",
  orderId: "a&b #1",
  successUrl: "https://shop.example/paid",
  failureUrl: "https://shop.example/failed",
  payment: { paymentId: "p-1" },
} as CheckoutPage;
const added = "checkoutId=c-1&paymentId=p-1&orderId=a%26b+%231";

test.each([
  ["https://shop.example/paid", `https://shop.example/paid?${added}`],
  ["https://shop.example/paid?x=%7E", `https://shop.example/paid?x=%7E&${added}`],
  ["https://shop.example/paid?", `https://shop.example/paid?${added}`],
  ["https://shop.example/paid?a=1&#there?x", `https://shop.example/paid?a=1&${added}#there?x`],
])("%s gets what the shop needs, and keeps the rest as it is", (successUrl, expected) => {
  expect(shopUrl({ ...checkout, successUrl })).toBe(expected);
});

test("anything but a completed checkout goes to failureUrl", () => {
  for (const status of ["EXPIRED", "CANCELLED"] as const) {
    expect(shopUrl({ ...checkout, status, payment: undefined })).toBe(
      "https://shop.example/failed?checkoutId=c-1&orderId=a%26b+%231",
    );
  }
});
