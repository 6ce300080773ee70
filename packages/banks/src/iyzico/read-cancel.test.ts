import { expect, test } from "vitest";

import { cancelOutcome } from "./read-cancel.ts";

test("an unnamed refusal of a sale's cancel is final from the end of its day on, and not before", () => {
  const at = new Date("2026-03-10T12:00:00Z");
  const target = { externalTransactionId: "1", amountMinor: 100n, at };
  const asked = { reference: "ref", paymentId: "1", amountMinor: 100n, currency: "TRY", target };
  const failure = { code: "5093", message: "too late", conversationId: "ref" };
  const businessDay = { timeZone: "Europe/Istanbul", cutOff: "23:00" };
  const outcomeAt = (now: string) =>
    cancelOutcome({ kind: "failure", failure }, asked, { now: new Date(now), businessDay });
  expect(outcomeAt("2026-03-10T19:59:59.999Z")).toMatchObject({ kind: "unknown" });
  expect(outcomeAt("2026-03-10T20:00:00Z")).toMatchObject({ kind: "declined", resultCode: "5093" });
});
