import { expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { refusedAccess } from "./refused-access.ts";

const merchant = { merchantId: "m" } as Exchange["merchant"];
const operator = { subject: "alice" } as Exchange["person"];

test.each<[string, Pick<Exchange, "code" | "merchant" | "person">, string | undefined]>([
  ["a failed sign-in", { code: "unauthorized", merchant: undefined, person: undefined }, "unauthorized"],
  ["a locked address", { code: "rate_limited", merchant: undefined, person: undefined }, "locked"],
  ["an operator without the role", { code: "forbidden", merchant: undefined, person: operator }, "forbidden"],
  ["the same person twice", { code: "same_person", merchant: undefined, person: operator }, "forbidden"],
  ["a merchant's own rate", { code: "rate_limited", merchant, person: undefined }, undefined],
  ["a bad request", { code: "validation_failed", merchant, person: undefined }, undefined],
  ["a good one", { code: undefined, merchant, person: undefined }, undefined],
])("%s counts as %s", (_, exchange, reason) => {
  expect(refusedAccess(exchange)).toBe(reason);
});
