import { expect, test } from "vitest";

import { endOfBusinessDay } from "./business-day.ts";

const istanbul = { timeZone: "Europe/Istanbul", cutOff: "23:00" };
const midnight = { timeZone: "Europe/Berlin", cutOff: "00:00" };

test.each([
  [istanbul, "2026-03-10T12:00:00Z", "2026-03-10T20:00:00Z"],
  [istanbul, "2026-03-10T19:59:59.999Z", "2026-03-10T20:00:00Z"],
  [istanbul, "2026-03-10T20:00:00Z", "2026-03-11T20:00:00Z"],
  [istanbul, "2026-12-31T21:30:00Z", "2027-01-01T20:00:00Z"],
  [midnight, "2026-03-28T12:00:00Z", "2026-03-28T23:00:00Z"],
  [midnight, "2026-03-29T12:00:00Z", "2026-03-29T22:00:00Z"],
])("of %o, the day of %s ends at %s", (day, at, end) => {
  expect(endOfBusinessDay(new Date(at), day)).toEqual(new Date(end));
});
