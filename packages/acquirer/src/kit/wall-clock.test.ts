import { expect, test } from "vitest";

import { readWallClock } from "./wall-clock.ts";

test("a bank's time is local to its zone", () => {
  const at = new Date("2026-10-29T18:58:43.120Z");
  expect(readWallClock("2026-10-29 21:58:43.120", "Europe/Istanbul")).toEqual(at);
  expect(readWallClock("2026-10-29 18:58:43.12", "UTC")).toEqual(at);
  expect(readWallClock("2026-10-29 18:58:43", "UTC")).toEqual(new Date("2026-10-29T18:58:43Z"));
});

test.each(["", "2026-10-29", "20261029 21:58:43", "2026-02-30 21:58:43", "2026-10-29 25:00:00", "x"])(
  "%o is no time",
  (text) => {
    expect(readWallClock(text, "Europe/Istanbul")).toBeUndefined();
  },
);
