import { expect, test } from "vitest";
import { findBin, SHIPPED_BINS, type BinData } from "./bin-table.ts";

const bin = (cardSubType: string): BinData => ({
  cardScheme: "VISA",
  cardType: "CREDIT",
  cardSubType,
  country: "TR",
  installmentsMax: 1,
});

test("the longest matching BIN counts", () => {
  const table = new Map([
    ["411111", bin("six")],
    ["4111112", bin("seven")],
    ["41111123", bin("eight")],
  ]);
  expect(findBin(table, "4111111111111111")?.cardSubType).toBe("six");
  expect(findBin(table, "4111112111111111")?.cardSubType).toBe("seven");
  expect(findBin(table, "4111112311111111")?.cardSubType).toBe("eight");
  expect(findBin(table, "4222221111111111")).toBeUndefined();
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
  }
  expect(findBin(SHIPPED_BINS, "4111111111111111")).toMatchObject({
    cardScheme: "VISA",
    cardType: "CREDIT",
    cardSubType: "CLASSIC",
    country: "TR",
  });
});
