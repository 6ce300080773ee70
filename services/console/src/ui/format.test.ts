import { expect, test, vi } from "vitest";
import { amountDecimal, breakable, dayText, rateText, timeElement } from "./format.ts";
import { TEXTS } from "./texts.ts";

const readerIn = (locale: string) => ({ language: "en" as const, locale, texts: TEXTS.en });

test("a time is written in the reader's way, with the exact one beside it", () => {
  expect(timeElement(readerIn("en-GB"), "2026-03-01T14:05:06Z").text).toBe(
    '<time datetime="2026-03-01T14:05:06Z" title="2026-03-01T14:05:06Z">1 Mar 2026, 14:05:06 UTC</time>',
  );
});

test("a browser whose language has a region that cannot be gets a page all the same", () => {
  expect(timeElement(readerIn("en-aa-bb"), "2026-03-01T14:05:06Z").text).toContain("2:05:06 PM UTC");
});

test("a table of times takes one formatter", () => {
  const made = vi.spyOn(Intl, "DateTimeFormat");
  for (let second = 10; second < 60; second++) timeElement(readerIn("tr-TR"), `2026-03-01T14:05:${second}Z`);
  expect(made).toHaveBeenCalledTimes(1);
  made.mockRestore();
});

test("an amount in decimal notation has all digits of its currency", () => {
  expect([amountDecimal(7.5, "TRY"), amountDecimal(7, "JPY"), amountDecimal(0.1 + 0.2, "KWD")]).toEqual([
    "7.50",
    "7",
    "0.300",
  ]);
});

test("a day and a rate are written in the reader's way", () => {
  expect([dayText(readerIn("en-GB"), "2026-03-01"), dayText(readerIn("tr-TR"), "2026-03-01")]).toEqual([
    "1 Mar 2026",
    "1 Mar 2026",
  ]);
  expect([rateText(readerIn("en-GB"), "2.50"), rateText(readerIn("tr-TR"), "1.75")]).toEqual([
    "2.50%",
    "%1,75",
  ]);
});

test("a name is broken between its words, and stays one text", () => {
  expect(breakable("payment.status_changed").text).toBe("payment.<wbr />status_<wbr />changed");
  expect(breakable("<b>").text).toBe("&lt;b&gt;");
});
