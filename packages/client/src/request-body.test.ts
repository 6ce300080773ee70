import { expect, test } from "vitest";
import { requestBody } from "./request-body.ts";

const settings = { apiKey: "key-of-the-shop", apiSecret: "secret-of-the-shop" } as Parameters<
  typeof requestBody
>[1];
const item = { id: "sku-1", name: "Lamp", category: "Home", kind: "physical" };

test("amounts of a basket go out as they are written, as the request's does", () => {
  const basket = [
    { ...item, amount: "10.00" },
    { ...item, id: "sku-2", kind: undefined, amount: 2.5 },
  ];
  const body = requestBody({ orderId: "order-1", amount: "12.50", basket }, settings);
  expect(body).toContain('"amount":12.50,"basket":[');
  expect(body).toContain('"amount":10.00}');
  expect(JSON.parse(body)).toEqual({
    orderId: "order-1",
    amount: 12.5,
    basket: [
      { ...item, amount: 10 },
      { id: "sku-2", name: "Lamp", category: "Home", amount: 2.5 },
    ],
  });
});

test("the total of installments goes out as it is written, and an inexact one is refused", () => {
  expect(requestBody({ amount: "1250.00", installmentTotal: "1296.80" }, settings)).toBe(
    '{"amount":1250.00,"installmentTotal":1296.80}',
  );
  expect(() => requestBody({ installmentTotal: 0.1 + 0.2 }, settings)).toThrow("is not exact");
});

test("an inexact amount of an item is refused before anything is sent", () => {
  expect(() => requestBody({ basket: [{ ...item, amount: 0.1 + 0.2 }] }, settings)).toThrow(
    expect.objectContaining({ code: "inexact_amount" }),
  );
});

test("what is no basket is left to the gateway to judge", () => {
  expect(requestBody({ basket: "lamp" }, settings)).toBe('{"basket":"lamp"}');
  expect(requestBody({ basket: [null, "lamp"] }, settings)).toBe('{"basket":[null,"lamp"]}');
});
