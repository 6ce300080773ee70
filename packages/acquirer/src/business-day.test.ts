import { describe, expect, test } from "vitest";

import { businessDayEnd, isSameBusinessDay } from "./business-day.ts";

const at = (text: string) => new Date(text);

test.each([
  ["2026-10-29T10:00:00Z", "23:00", "2026-10-29T20:00:00Z"],
  ["2026-10-29T19:59:59.999Z", "23:00", "2026-10-29T20:00:00Z"],
  ["2026-10-29T20:00:00Z", "23:00", "2026-10-30T20:00:00Z"],
  ["2026-12-31T21:30:00Z", "23:00", "2027-01-01T20:00:00Z"],
  ["2026-10-29T20:30:00Z", "00:00", "2026-10-29T21:00:00Z"],
  ["2026-10-29T20:59:59Z", "00:00", "2026-10-29T21:00:00Z"],
  ["2026-10-29T21:00:00Z", "00:00", "2026-10-30T21:00:00Z"],
])("the business day of %s with the cut-off %s in Istanbul ends at %s", (instant, cutOff, end) => {
  expect(businessDayEnd(at(instant), { timeZone: "Europe/Istanbul", cutOff })).toEqual(at(end));
});

describe("where the clock changes", () => {
  test.each([
    [
      "that loses an hour ends by the clock on the wall",
      "23:00",
      "2026-03-28T22:00:00Z",
      "2026-03-29T21:00:00Z",
    ],
    ["ends at midnight before the change", "00:00", "2026-03-28T12:00:00Z", "2026-03-28T23:00:00Z"],
    ["ends at midnight after the change", "00:00", "2026-03-29T12:00:00Z", "2026-03-29T22:00:00Z"],
    [
      "whose cut-off is left out ends half an hour on",
      "02:30",
      "2026-03-29T01:10:00Z",
      "2026-03-29T01:30:00Z",
    ],
    ["whose cut-off comes twice ends at the first", "02:30", "2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z"],
    ["is the next one between the two", "02:30", "2026-10-25T01:10:00Z", "2026-10-26T01:30:00Z"],
  ])("a day %s", (_what, cutOff, instant, end) => {
    expect(businessDayEnd(at(instant), { timeZone: "Europe/Belgrade", cutOff })).toEqual(at(end));
  });
});

test.each([
  ["2026-11-20T10:00:00Z", "2026-11-20T20:59:59Z", "00:00", true],
  ["2026-11-20T10:00:00Z", "2026-11-20T21:00:00Z", "00:00", false],
  ["2026-11-20T19:30:00Z", "2026-11-21T10:00:00Z", "22:00", true],
  ["2026-11-20T18:59:59Z", "2026-11-20T19:00:00Z", "22:00", false],
])("%s and %s, with the cut-off %s in Istanbul, are on the same day: %s", (one, other, cutOff, same) => {
  expect(isSameBusinessDay(at(one), at(other), { timeZone: "Europe/Istanbul", cutOff })).toBe(same);
});
