import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { amountIn } from "./amount-in.ts";

const READER = { language: "en", locale: "en-GB", texts: TEXTS.en } as const;

test.each([
  ["12.50 TRY", { currency: "TRY", amount: "12.50" }],
  ["₺1.250,00", { currency: "TRY", amount: "1250.00" }],
  ["jpy 1250", { currency: "JPY", amount: "1250" }],
])("%s is an amount", (text, amount) => expect(amountIn(READER, text)).toEqual(amount));

// No payment has them, and the list of payments refuses them: the search for an order of that name would fail with it.
test.each(["USD2026113000", "12.50 JPY", "USD12345.678", "TRY0", "12.50"])("%s is none", (text) =>
  expect(amountIn(READER, text)).toBeUndefined(),
);
