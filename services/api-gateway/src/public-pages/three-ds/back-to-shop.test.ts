import { PAYMENT_STATUSES } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { recordOf } from "../../../test/test-payments.ts";
import { backToShop } from "./back-to-shop.ts";

const paymentId = "0199aaaa-0000-7000-8000-000000000001";

function back(urls: { successUrl?: string; failureUrl?: string }, orderId = "order-1") {
  const payment = recordOf({ paymentId, orderId });
  return backToShop({
    payment,
    successUrl: "https://shop.example/yes",
    failureUrl: "https://shop.example/no",
    ...urls,
  });
}

test.each([
  ["https://shop.example", `https://shop.example?paymentId=${paymentId}&orderId=order-1`],
  ["https://shop.example/a?b=%20c", `https://shop.example/a?b=%20c&paymentId=${paymentId}&orderId=order-1`],
  ["https://shop.example/a?", `https://shop.example/a?paymentId=${paymentId}&orderId=order-1`],
  ["https://shop.example/a?b&", `https://shop.example/a?b&paymentId=${paymentId}&orderId=order-1`],
  ["https://shop.example/a?b#c?d", `https://shop.example/a?b&paymentId=${paymentId}&orderId=order-1#c?d`],
])("%s keeps its query and its fragment as they are spelled", (successUrl, expected) => {
  expect(back({ successUrl })).toBe(expected);
});

test("an orderId cannot add to the address", () => {
  const url = new URL(back({}, "a&admin=1#x ü/../"));
  expect(url.searchParams.get("orderId")).toBe("a&admin=1#x ü/../");
  expect(url.searchParams.get("admin")).toBeNull();
  expect(url.hash).toBe("");
});

test("only money that stands leads to the successUrl", () => {
  const good = PAYMENT_STATUSES.filter((status) => {
    const payment = { ...recordOf({ paymentId, orderId: "1" }), status };
    return backToShop({ payment, successUrl: "https://yes", failureUrl: "https://no" }).startsWith(
      "https://yes",
    );
  });
  expect(good).toEqual(["SUCCESS", "CAPTURED"]);
});
