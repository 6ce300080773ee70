import { expect, test } from "vitest";
import { JsonNumber } from "./json-number.ts";
import { wholeNumberField, wholeNumberOf, wholeNumberSchema } from "./whole-number.ts";

test.each([
  ["443", 443],
  ["443.0", 443],
  ["443.000", 443],
  ["4.43e2", 443],
  ["4.430E+2", 443],
  ["44300e-2", 443],
  ["0", 0],
  ["0.0", 0],
  ["0e9", 0],
  ["999999999", 999_999_999],
])("%s is the whole number %i", (source, number) => {
  expect(wholeNumberOf(new JsonNumber(source))).toBe(number);
  expect(wholeNumberSchema(0, 999_999_999).parse(new JsonNumber(source))).toBe(number);
  expect(wholeNumberField(0, 999_999_999).safeParse(new JsonNumber(source)).success).toBe(true);
});

test.each([
  "443.5",
  "4.435e2",
  "443e-1",
  "443.00000000000000000001",
  "1e-400",
  "-1",
  "-0",
  "1000000000",
  "1e400",
  `1.${"0".repeat(100)}`,
])("%s is none of ours", (source) => {
  expect(wholeNumberOf(new JsonNumber(source))).toBeUndefined();
  expect(wholeNumberSchema(0, 999_999_999).safeParse(new JsonNumber(source)).success).toBe(false);
  expect(wholeNumberField(0, 999_999_999).safeParse(new JsonNumber(source)).success).toBe(false);
});
