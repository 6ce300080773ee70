import { expect, test } from "vitest";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import { questionOf, refusalOf } from "./merchant-rules.ts";

const payment = {
  lease_token: "lease",
  payment_id: "payment",
  merchant_id: "merchant",
  idempotency_scope: null,
  idempotency_key: null,
  amount_minor: 500_000n,
  currency: "TRY",
  currency_exponent: 2,
  request_ip: "203.0.113.7",
  pan_fingerprint: Buffer.alloc(32, 1),
} as ClaimRow;

test("an address is counted by its network", () => {
  const rules = { attemptsPerIp: { max: 3, windowSeconds: 60 } };
  const ofNetwork = { ...payment, request_ip: "2001:DB8:1:2::5" };
  expect(questionOf(rules, ofNetwork)).toMatchObject({ question: { ip: "2001:db8:1:2::/64" } });
});

test.each([
  ["no rules", undefined],
  ["rules that are all off", {}],
  ["an amount within the limit", { largestAmounts: [{ currency: "TRY", amount: "5000.00" }] }],
  ["a limit in another currency", { largestAmounts: [{ currency: "EUR", amount: "1.00" }] }],
])("%s ask nothing, so there is no statement to pay for", (_case, rules) => {
  expect(questionOf(rules, payment)).toBeUndefined();
});

test("an amount above the limit is refused, and counts for no other rule", () => {
  const rules = {
    largestAmounts: [{ currency: "TRY", amount: "4999.99" }],
    attemptsPerCard: { max: 1, windowSeconds: 60 },
  };
  expect(questionOf(rules, payment)).toMatchObject({
    refusedBy: "largest_amount",
    question: { lease_token: "lease", card: null, card_max: null, ip_max: null, decline_percent: null },
  });
});

test("a refusal names its rule by the code alone; the message is one for all and tells no number", () => {
  const rules = ["largest_amount", "decline_rate", "attempts_per_ip", "attempts_per_card"] as const;
  const refusals = rules.map(refusalOf);
  expect(refusals.map(({ result_code }) => result_code)).toEqual(rules.map((rule) => `rule_${rule}`));
  expect(new Set(refusals.map(({ result_message }) => result_message)).size).toBe(1);
  expect(refusals[0]!.result_message).not.toMatch(/\d|card|address|limit/i);
});
