import { isCardNumber } from "@holdfast/contracts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createBinTable, findBin, type BinData, type BinDigits, type BinRange } from "./bin-table.ts";
import { SHIPPED_BINS } from "./shipped-bins.ts";

const data = (cardSubType: string): BinData => ({
  cardScheme: "VISA",
  cardType: "CREDIT",
  cardSubType,
  country: "TR",
  installmentsMax: 1,
});
const range = (from: string, to: string, subType = `${from}-${to}`): BinRange => ({
  digits: from.length as BinDigits,
  from: Number(from),
  to: Number(to),
  data: data(subType),
});

test("the match with the most digits counts", () => {
  const table = createBinTable([
    range("411111", "411111", "six"),
    range("4111112", "4111112", "seven"),
    range("41111123", "41111123", "eight"),
  ]);
  expect(findBin(table, "4111111111111111")?.cardSubType).toBe("six");
  expect(findBin(table, "4111112111111111")?.cardSubType).toBe("seven");
  expect(findBin(table, "4111112311111111")?.cardSubType).toBe("eight");
  expect(findBin(table, "4222221111111111")).toBeUndefined();
});

test("fewer digits than the table has tell nothing", () => {
  const table = createBinTable([range("41111123", "41111123")]);
  expect(findBin(table, "411111")).toBeUndefined();
  expect(findBin(table, "4111112")).toBeUndefined();
  expect(findBin(table, "41111123")).toBeDefined();
});

test("digits that begin with zeros are not fewer digits", () => {
  const table = createBinTable([range("0000001", "0000001", "seven"), range("000001", "000001", "six")]);
  expect(findBin(table, "000000111111111")?.cardSubType).toBe("seven");
  expect(findBin(table, "000001111111111")?.cardSubType).toBe("six");
  expect(findBin(table, "000000211111111")).toBeUndefined();
});

test("whatever the ranges, the answer is that of looking at all of them", () => {
  const digits = fc.constantFrom<BinDigits>(6, 7, 8);
  const ranges = fc.array(fc.tuple(digits, fc.nat(40), fc.nat(5)), { maxLength: 12 }).map((drawn) => {
    const taken = new Set<string>();
    return drawn.flatMap(([length, start, more]): BinRange[] => {
      const wanted = Array.from({ length: more + 1 }, (_, index) => `${length} ${start + index}`);
      if (wanted.some((each) => taken.has(each))) return [];
      for (const each of wanted) taken.add(each);
      return [{ digits: length, from: start, to: start + more, data: data(`${length} ${start}`) }];
    });
  });
  fc.assert(
    fc.property(ranges, fc.nat(5_000), (given, number) => {
      const pan = `${String(number).padStart(8, "0")}11111111`;
      const matching = given.filter(({ digits: length, from, to }) => {
        const wanted = Number(pan.slice(0, length));
        return from <= wanted && wanted <= to;
      });
      const [best] = matching.sort((a, b) => b.digits - a.digits);
      expect(findBin(createBinTable(given), pan)).toEqual(best?.data);
    }),
  );
});

test("the shipped table knows the test cards, each with a sub-type", () => {
  for (const pan of [
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "9792000000000003",
    "4000000000000002",
  ]) {
    expect(findBin(SHIPPED_BINS, pan)?.cardSubType).toMatch(/^[A-Z]+$/);
    // The check of free text for card numbers knows them, too.
    expect(isCardNumber(pan)).toBe(true);
  }
  expect(findBin(SHIPPED_BINS, "4111111111111111")).toEqual({
    cardScheme: "VISA",
    cardType: "CREDIT",
    cardSubType: "CLASSIC",
    country: "TR",
    loyaltyCode: "BONUS",
    installmentsMax: 12,
  });
});
