import { formatAmount } from "@holdfast/contracts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAmount, readCount, readDate, readDateTime, readMaskedPan, readText } from "./cells.ts";

const lira = (text: string, decimal: "." | "," = ".") => readAmount(text, { decimal, currency: "TRY" });

describe("an amount", () => {
  test("is read as it was written, in any currency, with thousands or without", () => {
    const currency = fc.constantFrom(["JPY", 0] as const, ["TRY", 2] as const, ["KWD", 3] as const);
    const size = fc.bigInt({ min: 0n, max: 9_999_999_999_999n });
    fc.assert(
      fc.property(
        size,
        currency,
        fc.boolean(),
        fc.boolean(),
        (minor, [code, exponent], negative, grouped) => {
          const [whole = "", fraction] = formatAmount(minor, exponent).split(".");
          const shown = grouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ".") : whole;
          const text = `${negative ? "-" : ""}${shown}${fraction === undefined ? "" : `,${fraction}`}`;
          expect(readAmount(text, { decimal: ",", currency: code })).toBe(negative ? -minor : minor);
        },
      ),
    );
  });

  test.each([
    ["12", 1_200n],
    ["12.5", 1_250n],
    ["12.50000000", 1_250n],
    ["1,234.56", 123_456n],
    ["12.50-", -1_250n],
    ["+0.01", 1n],
    [" 3.00 ", 300n],
    [".5", 50n],
    ["12.", 1_200n],
    ["-.01", -1n],
    ["000,001,234.50", 123_450n],
    ["000000000005202.96", 520_296n],
    [`-${"0".repeat(300)}1.50${"0".repeat(20)}`, -150n],
    ["0".repeat(40), 0n],
  ])("%s is %s", (text, minor) => {
    expect(lira(text)).toBe(minor);
  });

  test.each([
    "",
    "-",
    ".",
    "-.",
    "abc",
    "1.2.3",
    "12,34.5",
    "1,2345",
    "0x10",
    "1e3",
    "=1+1",
    "12.345",
    "-1-",
    "9".repeat(14),
  ])("%s is none", (text) => {
    expect(lira(text)).toEqual({ fault: expect.any(String) as string });
  });

  test("with its decimals implied has as many of them as its currency, and no sign of any", () => {
    const implied = (text: string, currency: string) => readAmount(text, { decimal: "implied", currency });
    expect(implied("0000000000012550", "TRY")).toBe(12_550n);
    expect(implied("0000000000012550-", "TRY")).toBe(-12_550n);
    expect(implied("-5", "TRY")).toBe(-5n);
    expect(implied("000", "KWD")).toBe(0n);
    expect(implied("00125", "JPY")).toBe(125n);
    for (const text of ["125.50", "1,250", "", "-", "9".repeat(16)])
      expect(implied(text, "TRY")).toEqual({ fault: expect.any(String) as string });
  });

  test("a point where the mapping says comma is thousands or nothing, never a hundred times as much", () => {
    expect(lira("12.50", ",")).toEqual({ fault: "not an amount" });
    expect(lira("1.250", ",")).toBe(125_000n);
  });
});

test.each([
  ["2026-02-28", "yyyy-MM-dd", "2026-02-28"],
  ["28.02.2026", "dd.MM.yyyy", "2026-02-28"],
  ["28/02/2026 13:00", "dd/MM/yyyy", "2026-02-28"],
  ["20260228", "yyyyMMdd", "2026-02-28"],
  ["2028-02-29", "yyyy-MM-dd", "2028-02-29"],
] as const)("%s is the day that it says", (text, form, date) => {
  expect(readDate(text, form)).toBe(date);
});

test.each([
  ["2026-02-30", "yyyy-MM-dd"],
  ["30.02.2026", "dd.MM.yyyy"],
  ["2026-13-01", "yyyy-MM-dd"],
  ["02/28/2026", "dd/MM/yyyy"],
  ["", "yyyyMMdd"],
  ["0001-01-01", "yyyy-MM-dd"],
] as const)("%s is no day", (text, form) => {
  expect(readDate(text, form)).toEqual({ fault: "not a date" });
});

test("a time follows its date, and midnight stands where there is none", () => {
  expect(readDateTime("22.11.2026 12:34:56", "dd.MM.yyyy")).toBe("2026-11-22T12:34:56");
  expect(readDateTime("2026-11-22T12:34", "yyyy-MM-dd")).toBe("2026-11-22T12:34:00");
  expect(readDateTime("2026-11-22", "yyyy-MM-dd")).toBe("2026-11-22T00:00:00");
  expect(readDateTime("2026-11-22 24:00", "yyyy-MM-dd")).toEqual({ fault: "not a time" });
  expect(readDateTime("2026-11-22T12:34:56.789", "yyyy-MM-dd")).toBe("2026-11-22T12:34:56");
  expect(readDateTime("20261120 130507", "yyyyMMdd")).toBe("2026-11-20T13:05:07");
  expect(readDateTime("20261120 2560", "yyyyMMdd")).toEqual({ fault: "not a time" });
});

test.each([
  "a\u0000b",
  "x".repeat(129),
  "4111 1111 1111 1111",
  "4111\u200B1111\u200B1111\u200B1111",
  "ref \u202E1234",
  "\u2066ref\u2069",
  "re\u200Ff",
])("a text like %j is not stored", (text) => {
  expect(readText(text)).toEqual({ fault: expect.any(String) as string });
});

test.each(["+++123/4567/89012+++", "=HYPERLINK(1)", "@SUM(A1)", "-1", "- 7", "A-1"])(
  "a text like %j is stored as it is, since exports escape formulas",
  (text) => {
    expect(readText(` ${text} `)).toBe(text);
  },
);

test.each(["", "  ", "-", "--", "NOTPROVIDED", "NONREF"])("%j says that there is no text", (text) => {
  expect(readText(text)).toBeUndefined();
});

test("of a card number its first six and last four digits are kept, also where the bank masks nothing", () => {
  for (const text of ["411111******1111", "4111111111111111", "4111 11XX XXXX 1111", "411111xxxxxx1111"])
    expect(readMaskedPan(text)).toBe("411111******1111");
  for (const text of ["", "0000000000000000"]) expect(readMaskedPan(text)).toBeUndefined();
  expect(readMaskedPan("VISA")).toEqual({ fault: "not a masked card number" });
});

test("a part of so many is a number from 1 to 99", () => {
  expect(["1", "12", "", "06", "01", "010"].map(readCount)).toEqual([1, 12, undefined, 6, 1, 10]);
  for (const text of ["100", "x", "-1", "1.0"])
    expect(readCount(text)).toEqual({ fault: "not a number from 1 to 99" });
});

test.each(["0", "00", "000"])("%s parts are none: the payment is not divided", (text) => {
  expect(readCount(text)).toBeUndefined();
});
