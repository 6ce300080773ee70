import { expect, test } from "vitest";
import { challengePage } from "./challenge-page.ts";

const sessionOf = (amountMinor: bigint, currency: string) =>
  ({ id: "session-1", amountMinor, currency }) as Parameters<typeof challengePage>[0];

test.each([
  [124_990n, "TRY", "TRY 1,249.90"],
  [5n, "EUR", "EUR 0.05"],
  [1_250n, "JPY", "JPY 1,250"],
  [125_000n, "HUF", "HUF 1,250.00"],
  [12_345n, "KWD", "KWD 12.345"],
])("%i minor units of %s are written as the cardholder reads them", (amountMinor, currency, text) => {
  expect(challengePage(sessionOf(amountMinor, currency))).toContain(`<strong>${text}</strong>`);
});
