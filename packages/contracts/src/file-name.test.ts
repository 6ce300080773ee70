import { expect, test } from "vitest";
import { fileNameSchema, shownFileName } from "./file-name.ts";

test.each([
  ["report.csv", "report.csv"],
  ["rapor \u202Egnp.csv\u0000", "rapor gnp.csv"],
  ["\u200F", "file"],
  ["x".repeat(300), "x".repeat(200)],
  [`${"x".repeat(199)}😀`, `${"x".repeat(199)}\uFFFD`],
  ["İş_günü_2026-11-20.csv", "İş_günü_2026-11-20.csv"],
])("%j is shown as %j", (name, shown) => {
  expect(shownFileName(name)).toBe(shown);
  expect(fileNameSchema.safeParse(shown).success).toBe(true);
});

test.each(["4916391027568433.csv", "card 4916 3910 2756 8433.pdf", "49\u200B16391027568433"])(
  "%j has a card number, and is no name",
  (name) => {
    expect(shownFileName(name)).toBeUndefined();
    expect(fileNameSchema.safeParse(name.replaceAll("\u200B", "")).success).toBe(false);
  },
);
