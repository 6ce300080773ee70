import { expect, test } from "vitest";
import { ruleFacts } from "./merchant-rule-facts.ts";
import { TEXTS } from "../ui/texts.ts";

const reader = { language: "en", locale: "en-GB", texts: TEXTS.en } as const;

test("each rule that is on is a sentence, and one that is off is none", () => {
  const rules = {
    largestAmounts: [
      { currency: "TRY", amount: "5000.00" },
      { currency: "JPY", amount: "90000" },
    ],
    attemptsPerCard: { max: 5, windowSeconds: 90 },
    attemptsPerIp: { max: 20, windowSeconds: 7_200 },
    declineRate: { percent: 60, minimumCount: 20, windowSeconds: 600 },
  };
  const facts = ruleFacts(reader, rules).map(([name, text]) => [name, text?.replaceAll("\u00a0", " ")]);
  expect(facts).toEqual([
    ["Largest amount of a payment", "TRY 5,000.00; JP¥90,000"],
    ["Payments with one card", "at most 5 within 90 s"],
    ["Payments from one IP address", "at most 20 within 2 h"],
    ["Declined payments", "no payments while 60 % of at least 20 answers within 10 min are declines"],
  ]);
  expect(ruleFacts(reader, {}).filter(([, text]) => text !== undefined)).toEqual([]);
});
