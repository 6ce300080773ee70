import { expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { refusedAccess } from "./refused-access.ts";

const merchant = { merchantId: "m" } as Exchange["merchant"];
const operator = { subject: "alice" } as Exchange["operator"];

test.each<[string, Pick<Exchange, "code" | "merchant" | "operator">, string | undefined]>([
  ["a failed sign-in", { code: "unauthorized", merchant: undefined, operator: undefined }, "unauthorized"],
  ["a locked address", { code: "rate_limited", merchant: undefined, operator: undefined }, "locked"],
  ["an operator without the role", { code: "forbidden", merchant: undefined, operator }, "forbidden"],
  ["the same person twice", { code: "same_person", merchant: undefined, operator }, "forbidden"],
  ["a merchant's own rate", { code: "rate_limited", merchant, operator: undefined }, undefined],
  ["a bad request", { code: "validation_failed", merchant, operator: undefined }, undefined],
  ["a good one", { code: undefined, merchant, operator: undefined }, undefined],
])("%s counts as %s", (_, exchange, reason) => {
  expect(refusedAccess(exchange)).toBe(reason);
});
