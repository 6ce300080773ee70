import { expect, test } from "vitest";

import { Decimal, parseMinor } from "./decimal.ts";
import { parseJsonSource } from "./json-source.ts";
import { writeAnswer } from "./write-answer.ts";

test.each([
  ["1249.9", 124_990n],
  ["1.00000000", 100n],
  ["0.01", 1n],
  ["7", 700n],
  ["0.1", 10n],
  ["9999999999.99", 999_999_999_999n],
])("%s is %s minor units", (text, minor) => {
  expect(parseMinor(text)).toBe(minor);
});

test.each(["", "-1", "1.", ".5", "1.005", "1e3", "1,5", "+1", "0x10", " 1", "99999999999"])(
  "'%s' is no amount",
  (text) => {
    expect(parseMinor(text)).toBeUndefined();
  },
);

test.each([
  [1_050n, "10.50000000", "10.5"],
  [5_000n, "50.00000000", "50"],
  [0n, "0.00000000", "0"],
  [-1n, "-0.01000000", "-0.01"],
  [10_000n, "100.00000000", "100"],
])("%s minor units are written %s, and signed %s", (minor, long, short) => {
  expect(Decimal.ofMinor(minor)).toMatchObject({ long, short });
});

test("a number keeps the text that was sent, whatever a float would make of it", () => {
  const source = '{"price": 0.10000000000000001, "items": [{"price": 1.20}], "text": "1.20", "is": true}';
  expect(parseJsonSource(source)?.value).toEqual({
    price: "0.10000000000000001",
    items: [{ price: "1.20" }],
    text: "1.20",
    is: true,
  });
  expect(parseJsonSource('{"cardNumber": 4111')).toBeUndefined();
});

test.each([
  ["zeros", "usual", '{"errorCode":"11","systemTime":5,"price":10.50000000,"items":[{"price":1.00000000}]}'],
  ["plain", "usual", '{"errorCode":"11","systemTime":5,"price":10.5,"items":[{"price":1}]}'],
  [
    "zeros",
    "swapped",
    '{"errorCode":11,"systemTime":"5","price":"10.50000000","items":[{"price":"1.00000000"}]}',
  ],
] as const)("an answer is written with %s decimals and %s types", (decimals, types, text) => {
  const answer = {
    errorCode: "11",
    systemTime: 5,
    price: Decimal.ofMinor(1_050n),
    items: [{ price: Decimal.ofMinor(100n) }],
    missing: undefined,
  };
  expect(writeAnswer(answer, { decimals, types })).toBe(text);
});
