import * as fc from "fast-check";
import { expect, test } from "vitest";

import { containsCardNumber } from "./find-card-number.ts";

const pan = "5528790000000008";
const digits = Array.from(pan);

const forms: [string, string][] = [
  ["plain", pan],
  ["in groups", "5528 7900 0000 0008"],
  ["with hyphens", "5528-7900-0000-0008"],
  ["with no-break spaces", "5528&nbsp;7900&nbsp;0000&nbsp;0008"],
  ["between tags", digits.map((digit) => `<i>${digit}</i>`).join("")],
  ["in percent escapes", digits.map((digit) => `%3${digit}`).join("")],
  ["in decimal entities", digits.map((digit) => `&#${48 + Number(digit)};`).join("")],
  ["in hexadecimal entities", digits.map((digit) => `&#x3${digit};`).join("")],
  ["in JavaScript escapes", digits.map((digit) => `\\x3${digit}`).join("")],
  ["in JSON escapes", digits.map((digit) => `\\u003${digit}`).join("")],
  ["in hexadecimal", Buffer.from(pan).toString("hex")],
  ["in Base64 at its beginning", Buffer.from(`${pan}=cc`).toString("base64")],
  ["in Base64 after one character", Buffer.from(`"${pan}"`).toString("base64")],
  ["in Base64 after two characters", Buffer.from(`p=${pan}&x`).toString("base64url")],
];

test.each(forms)("a card number is found %s", (_, form) => {
  expect(containsCardNumber(form, pan)).toBe(true);
  expect(containsCardNumber(`<html><input value="${form}"></html>`, pan)).toBe(true);
});

test("a text without it does not contain it", () => {
  const page = `<html><form action="https://acs.example/3ds"><input name="creq" value="eyJ0aHJlZURTU2VydmVyVHJhbnNJRCI6IjQ0In0"><input value="552879******0008"></form></html>`;
  expect(containsCardNumber(page, pan)).toBe(false);
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(containsCardNumber(text, pan)).toBe(false);
    }),
  );
});

test("a BIN and last digits in two fields are no card number, also not one of twelve digits", () => {
  const answer = JSON.stringify({ binNumber: "50180000", lastFourDigits: "0009" });
  expect(containsCardNumber(answer, "501800000009")).toBe(false);
});
