import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { Refusal } from "../http/refusal.ts";

const read = (...values: string[]) =>
  readIdempotencyKey(
    { method: "POST", headersDistinct: { "idempotency-key": values } } as unknown as IncomingMessage,
    "/api/payment/1/capture",
  );

test("without the header there is no key", () => {
  const request = { method: "POST", headersDistinct: {} } as unknown as IncomingMessage;
  expect(readIdempotencyKey(request, "/api/payment")).toBeUndefined();
});

test.each([
  ["abc", "abc"],
  ['"abc"', "abc"],
  ["a b~!", "a b~!"],
  ["x".repeat(255), "x".repeat(255)],
  [`"${"x".repeat(255)}"`, "x".repeat(255)],
  ['"', '"'],
])("%j is the key %j, its scope method and path", (value, key) => {
  expect(read(value)).toEqual({ key, scope: "POST /api/payment/1/capture" });
});

test.each([
  "4111111111111111",
  "order-4111 1111 1111 1111",
  '"pay:4111-1111-1111-1111:1"',
  "%34111111111111111",
])("%j has a card number in it: it is refused by that name, and not repeated", (value) => {
  const refusal = read(value) as Refusal;
  expect(refusal.extra?.members?.["errors"]).toEqual([
    { field: "Idempotency-Key", code: "card_number", message: expect.any(String) },
  ]);
  expect(JSON.stringify(refusal)).not.toMatch(/\d{4}/);
});

describe("refused", () => {
  test.each([
    [""],
    ['""'],
    ["   "],
    ["x".repeat(256)],
    ["é"],
    ["a\tb"],
    ["a\u0000b"],
    ["a", "b"],
    ["a", "a"],
  ])("%j", (...values) => {
    expect(read(...values)).toBeInstanceOf(Refusal);
  });
});
