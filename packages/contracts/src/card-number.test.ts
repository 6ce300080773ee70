import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdsCardNumber, holdsThisCard, isCardNumber, isMadeOfCardNumber } from "./card-number.ts";

const VISA = "4111111111111111";

describe("a card number is found", () => {
  test.each([
    ["Visa", VISA],
    ["Visa of 13 digits", "4222222222222"],
    ["Mastercard", "5555555555554444"],
    ["Mastercard of the 2 series", "2223003122003222"],
    ["American Express", "378282246310005"],
    ["Troy", "9792000000000003"],
    ["Discover", "6011111111111117"],
    ["JCB", "3530111333300000"],
    ["Diners Club", "30569309025904"],
    ["Maestro", "6304000000000000"],
    ["UnionPay of 19 digits", "6205500000000000004"],
  ])("of %s", (_scheme, pan) => {
    expect(isCardNumber(pan)).toBe(true);
    expect(holdsCardNumber(`card ${pan}, please`)).toBe(true);
    expect(isMadeOfCardNumber(`card-${pan}`)).toBe(pan.length > 14);
  });

  test.each([
    ["full-width digits", "４１１１１１１１１１１１１１１１"],
    ["Arabic-Indic digits", "٤١١١١١١١١١١١١١١١"],
    ["Devanagari digits", "४१११११११११११११११"],
    ["mathematical digits", "𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏"],
    ["superscripts", "⁴¹¹¹¹¹¹¹¹¹¹¹¹¹¹¹"],
    ["circled digits", "④①①①①①①①①①①①①①①①"],
    ["keycaps", "4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣"],
    ["two scripts", "٤١١١１１１１111111११"],
    ["spaces", "4111 1111 1111 1111"],
    ["no-break and thin spaces", "4111\u00a01111\u20091111\u202f1111"],
    ["dashes of any kind", "4111-1111–1111—1111"],
    ["dots, slashes and underscores", "4111.1111/1111_1111"],
    ["commas", "4111,1111,1111,1111"],
    ["a space between any two", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"],
    ["zero-width spaces", "4111\u200b1111\u200b1111\u200b1111"],
    ["soft hyphens and word joiners", "4111\u00ad1111\u20601111\u034f1111"],
    ["Hangul fillers", "4111\u31641111\u115f1111\uffa01111"],
    ["a UUID behind it", "4111111111111111-40000000-0000-4000-8000-0000000000b2"],
    ["letters on both sides", "card4111111111111111cvv"],
    ["expiry and security code behind it", "4111 1111 1111 1111 12/28 123"],
    ["a number in front of it", "12: 4111111111111111"],
    ["percent-encoding", "https://shop.example/?c=%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31"],
    ["percent-encoding twice", "https://shop.example/?next=%25341111%2531%2531111111111"],
    ["percent-encoded full-width digits", encodeURIComponent("４１１１１１１１１１１１１１１１")],
    ["spaces of a query", "https://shop.example/?c=4111+1111+1111+1111"],
  ])("with %s", (_case, text) => {
    expect(holdsCardNumber(text)).toBe(true);
    expect(holdsThisCard(text, VISA)).toBe(true);
  });
});

test.each([
  ["a wrong check digit", "4111111111111112"],
  ["an IMEI, whose check digit is right, too", "356938035643809"],
  ["a telephone number", "+90 532 123 45 67"],
  ["two telephone numbers", "+90 532 123 45 67, +90 533 765 43 21"],
  ["a time", "2026-11-22T14:41:54.123Z and 1795358514123"],
  ["a list of numbers", "4, 11, 11, 11, 11, 11, 11, 11, 1"],
  ["an IBAN", "TR33 0006 1005 1978 6457 8413 26"],
  ["more digits than a card has", "41111111111111110000"],
  ["letters in it", "4111a1111a1111a1111"],
  ["a UUID", "order 40000000-0000-4000-8000-0000000000b2"],
  ["a UUID behind another number", "7-40000000-0000-4000-8000-0000000000b2-1"],
  ["a hash", "4000000000000002a000000000000000"],
  ["nothing", ""],
])("%s is no card number", (_case, text) => {
  expect(holdsCardNumber(text)).toBe(false);
});

const random = (() => {
  // A generator of its own: the same numbers in every run.
  let state = 42;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
})();
const someDigits = (length: number) => Array.from({ length }, () => Math.floor(random() * 10)).join("");

test.each([
  ["a mobile number of Indonesia", () => `62812${someDigits(8)}`],
  ["one with a plus sign", () => `+62812${someDigits(8)}`],
  ["one in groups", () => `62-812-${someDigits(4)}-${someDigits(4)}`],
  ["one of Germany", () => `+49151${someDigits(8)}`],
  ["one of Germany without a plus sign", () => `49151${someDigits(8)}`],
  ["an article number of China", () => `690${someDigits(10)}`],
  ["a national id of 13 digits", () => `4${someDigits(12)}`],
  ["Math.random()", () => `k0.${String(1 + Math.floor(random() * 8))}${someDigits(15)}`],
  ["an e-mail address with a telephone number", () => `62812${someDigits(8)}@sms.example`],
  ["an address with one", () => `https://s.example/u/62812${someDigits(8)}`],
  [
    "versions of a browser",
    () =>
      `Chrome/4${someDigits(2)}.0.${someDigits(4)}.${someDigits(3)} Safari/5${someDigits(2)}.${someDigits(2)}`,
  ],
])("%s in an id is never one by chance", (_case, id) => {
  for (let count = 0; count < 2_000; count++) {
    const text = id();
    expect([text, isMadeOfCardNumber(text)]).toEqual([text, false]);
  }
});

test.each(["+6281203464888", "call +49 151 23456789 or +62 812-0346-4888", "0.4111111111111111"])(
  "%j in a text is none either",
  (text) => expect(holdsCardNumber(text)).toBe(false),
);

test.each([
  VISA,
  "4111 1111 1111 1111",
  "1234-4111-1111-1111-1111",
  "4111 1111 1111 1111 123",
  "3782 822463 10005",
  "3056 930902 5904",
  "user4111111111111111@shop.example",
  "https://shop.example/?c=4111+1111+1111+1111",
  "https://shop.example/?c=%34111%201111%201111%201111",
  "４１１１１１１１１１１１１１１１",
])("%j is a card number in an id, too", (text) => {
  expect(isMadeOfCardNumber(text)).toBe(true);
});

/** Digits of the decimal scripts that a normalization leaves, and of those that it maps. */
const ZEROS = ["0", "٠", "۰", "०", "০", "๐", "０", "𝟎", "𝟘", "႐", "𞥐"].map((zero) => zero.codePointAt(0)!);
const SEPARATORS = [" ", "\u00a0", "\u3000", "-", "–", ".", "/", "_", "·", "*", "\u200b", "\u2060", "\u00ad"];

const cardNumbers = fc
  .tuple(
    fc.constantFrom(
      ["4", 16],
      ["51", 16],
      ["2720", 16],
      ["37", 15],
      ["36", 14],
      ["9792", 16],
      ["65", 16],
      ["5018", 13],
      ["62", 19],
      ["3589", 16],
    ),
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 18, maxLength: 18 }),
  )
  .map(([[prefix, length], digits]) => withCheckDigit(`${prefix}${digits.join("")}`.slice(0, length - 1)));

test("every card number is found, in any script and with anything between its digits", () => {
  const writtenDigit = fc.record({
    zero: fc.constantFrom(...ZEROS),
    separators: fc.array(fc.constantFrom(...SEPARATORS), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(
      cardNumbers,
      fc.array(writtenDigit, { minLength: 19, maxLength: 19 }),
      fc.constantFrom("", "card ", "№ 7: ", "https://shop.example/?c="),
      (pan, written, before) => {
        const text = Array.from(pan, (digit, index) => {
          const { zero, separators } = written[index]!;
          return separators.join("") + String.fromCodePoint(zero + Number(digit));
        }).join("");
        expect(holdsCardNumber(`${before}${text} thanks`)).toBe(true);
        expect(holdsThisCard(before + text, pan)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("a text with fewer than 13 digits between its letters, a UUID or a hash is never one", () => {
  const short = fc.stringMatching(/^([a-zğü]{1,9}[0-9 .-]{1,12}){0,6}$/);
  const hash = fc.stringMatching(/^([0-9]{15,22}[a-f][0-9]{8,16}){1,2}$/);
  fc.assert(
    fc.property(fc.oneof(short, fc.uuid(), hash), (text) => {
      fc.pre(!/^\d+$/.test(text.replaceAll("-", "")));
      expect(holdsCardNumber(text)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

function withCheckDigit(digits: string): string {
  const check = Array.from({ length: 10 }, (_, digit) => `${digits}${digit}`).find(isLuhn);
  return check!;
}

function isLuhn(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit]!))
    .reduce((a, b) => a + b, 0);
  return sum % 10 === 0;
}
