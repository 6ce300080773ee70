import { EVENT_TYPES, PAYMENT_STATUS_CHANGED } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { factOfEvent } from "./fact-of-event.ts";

test("an event that is about no final state reports no fact and is no fault; an unknown one is a fault", () => {
  const others = EVENT_TYPES.filter((type) => type !== PAYMENT_STATUS_CHANGED);
  expect(others).not.toEqual([]);
  for (const eventType of others) expect(factOfEvent({ eventType })).toBeUndefined();
  for (const eventType of [PAYMENT_STATUS_CHANGED, "payment.imagined", undefined]) {
    expect(factOfEvent({ eventType })).toMatch(/not an event/);
  }
});
