import { join } from "node:path";
import { expect, test } from "vitest";

/** The browser's module, as it is sent. */
type Deadline = {
  writeDeadline(expiresAt: number, now: number, locale: string, timeZone?: string): string;
};
const page = (await import(join(import.meta.dirname, "assets", "deadline.js"))) as Deadline;

const EVENING = Date.UTC(2026, 10, 24, 18, 0);
const MIDNIGHT_IS_OVER = Date.UTC(2026, 10, 24, 21, 9);

test.each([
  ["en-US", "Wednesday, November 25 at 12:09 AM GMT+3"],
  ["en-GB", "Wednesday 25 November at 00:09 GMT+3"],
  ["tr-TR", "25 Kasım Çarşamba 00:09 GMT+3"],
])("what ends tomorrow has its date and its zone in %s", (locale, text) => {
  expect(page.writeDeadline(MIDNIGHT_IS_OVER, EVENING, locale, "Europe/Istanbul")).toBe(text);
});

test("whether that is today depends on where the buyer is", () => {
  expect(page.writeDeadline(MIDNIGHT_IS_OVER, EVENING, "en-GB", "Europe/London")).toBe("21:09 GMT");
  expect(page.writeDeadline(MIDNIGHT_IS_OVER, EVENING, "tr", "Asia/Kolkata")).toContain("25 Kasım");
});

test("the same day of another month is another day", () => {
  const monthBefore = Date.UTC(2026, 9, 24, 18, 0);
  expect(page.writeDeadline(MIDNIGHT_IS_OVER, monthBefore, "en-GB", "UTC")).toBe(
    "Tuesday 24 November at 21:09 UTC",
  );
});
