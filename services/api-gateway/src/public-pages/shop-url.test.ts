import { PAYMENT_STATUSES, type CheckoutPage } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import { recordOf } from "../../test/test-payments.ts";
import { shopUrlOfCheckout, shopUrlOfPayment } from "./shop-url.ts";

describe("after a checkout", () => {
  const checkout = {
    status: "COMPLETED",
    checkoutId: "c-1",
    orderId: "a&b #1",
    successUrl: "https://shop.example/paid",
    failureUrl: "https://shop.example/failed",
    payment: { paymentId: "p-1" },
  } as CheckoutPage;
  const added = "checkoutId=c-1&paymentId=p-1&orderId=a%26b+%231&checkoutStatus=COMPLETED";

  test.each([
    ["https://shop.example/paid", `https://shop.example/paid?${added}`],
    ["https://shop.example/paid?x=%7E", `https://shop.example/paid?x=%7E&${added}`],
    ["https://shop.example/paid?", `https://shop.example/paid?${added}`],
    ["https://shop.example/paid?a=1&#there?x", `https://shop.example/paid?a=1&${added}#there?x`],
  ])("%s gets what the shop needs, and keeps the rest as it is", (successUrl, expected) => {
    expect(shopUrlOfCheckout({ ...checkout, successUrl })).toBe(expected);
  });

  test("a merchant that named no address gets nobody back", () => {
    expect(shopUrlOfCheckout({ ...checkout, successUrl: undefined })).toBeUndefined();
  });

  test("anything but a completed checkout goes to failureUrl", () => {
    for (const status of ["EXPIRED", "CANCELLED"] as const) {
      expect(shopUrlOfCheckout({ ...checkout, status, payment: undefined })).toBe(
        `https://shop.example/failed?checkoutId=c-1&orderId=a%26b+%231&checkoutStatus=${status}`,
      );
    }
  });
});

describe("after 3-D Secure", () => {
  const paymentId = "0199aaaa-0000-7000-8000-000000000001";

  function back(urls: { successUrl?: string; failureUrl?: string }, orderId = "order-1") {
    const payment = recordOf({ paymentId, orderId });
    return shopUrlOfPayment({
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
      return shopUrlOfPayment({ payment, successUrl: "https://yes", failureUrl: "https://no" }).startsWith(
        "https://yes",
      );
    });
    expect(good).toEqual(["SUCCESS", "CAPTURED"]);
  });
});
