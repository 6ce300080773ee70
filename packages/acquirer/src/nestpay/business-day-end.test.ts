import { expect, test } from "vitest";

import { businessDayEnd, readLocalTime } from "./business-day-end.ts";

test.each([
  ["2026-10-29T10:00:00Z", "23:00", "2026-10-29T20:00:00Z"],
  ["2026-10-29T19:59:59.999Z", "23:00", "2026-10-29T20:00:00Z"],
  ["2026-10-29T20:00:00Z", "23:00", "2026-10-30T20:00:00Z"],
  ["2026-10-29T20:30:00Z", "00:00", "2026-10-29T21:00:00Z"],
  ["2026-10-29T21:00:00Z", "00:00", "2026-10-30T21:00:00Z"],
])("what was sent at %s is settled with the cut-off %s in Istanbul at %s", (at, cutOff, end) => {
  expect(businessDayEnd(new Date(at), { timeZone: "Europe/Istanbul", cutOff })).toEqual(new Date(end));
});

test("a day that loses an hour still ends by the clock on the wall", () => {
  const day = { timeZone: "Europe/Belgrade", cutOff: "23:00" };
  expect(businessDayEnd(new Date("2026-03-28T22:00:00Z"), day)).toEqual(new Date("2026-03-29T21:00:00Z"));
});

test("a bank's time is local to its zone", () => {
  const at = new Date("2026-10-29T18:58:43.120Z");
  expect(readLocalTime("2026-10-29 21:58:43.120", "Europe/Istanbul")).toEqual(at);
  expect(readLocalTime("2026-10-29 18:58:43.12", "UTC")).toEqual(at);
  expect(readLocalTime("2026-10-29 18:58:43", "UTC")).toEqual(new Date("2026-10-29T18:58:43Z"));
});

test.each(["", "2026-10-29", "20261029 21:58:43", "2026-02-30 21:58:43", "2026-10-29 25:00:00", "x"])(
  "%o is no time",
  (text) => {
    expect(readLocalTime(text, "Europe/Istanbul")).toBeUndefined();
  },
);
