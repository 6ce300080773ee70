import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { containsCardNumber, shownMessage } from "./masks.ts";

const pan = "5528790000000008";
const codeOf = (digit: string) => digit.charCodeAt(0);
const eachDigit = (write: (digit: string) => string) => pan.replace(/\d/g, write);
const base64 = Buffer.from(pan).toString("base64");

describe("a card number is found", () => {
  test.each([
    ["as it is", pan],
    ["in groups", "5528 7900 0000 0008"],
    ["with hyphens", "5528-7900-0000-0008"],
    ["with no-break spaces", "5528&nbsp;7900&nbsp;0000&nbsp;0008"],
    ["between tags", eachDigit((digit) => `<i>${digit}</i>`)],
    ["as entities", eachDigit((digit) => `&#${codeOf(digit)};`)],
    ["as hexadecimal entities", eachDigit((digit) => `&#x${codeOf(digit).toString(16)};`)],
    ["percent-encoded", eachDigit((digit) => `%3${digit}`)],
    ["percent-encoded twice", eachDigit((digit) => `%253${digit}`)],
    ["as entities that are percent-encoded", eachDigit((digit) => `%26%23${codeOf(digit)}%3B`)],
    ["after a percent sign", `%${pan}`],
    ["escaped for a script", eachDigit((digit) => `\\x3${digit}`)],
    ["escaped for JSON", eachDigit((digit) => `\\u003${digit}`)],
    ["in hexadecimal", Buffer.from(pan).toString("hex")],
    ["in capital hexadecimal", Buffer.from(pan).toString("hex").toUpperCase()],
    ["in Base64", base64],
    ["in Base64 with lines", base64.replace(/.{6}/g, "$&\r\n")],
    ["in Base64 for URLs", Buffer.from(`p=${pan}&x`).toString("base64url")],
  ])("%s", (_, form) => {
    expect(containsCardNumber(form, pan)).toBe(true);
    expect(containsCardNumber(`<html><input value="${form}"></html>`, pan)).toBe(true);
  });

  test("in Base64, whatever stands before and after it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        expect(containsCardNumber(Buffer.from(before + pan + after).toString("base64"), pan)).toBe(true);
      }),
    );
  });
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

test("a message loses control and bidirectional characters and the space around it, and is cut", () => {
  expect(shownMessage("\u202Edeton \u2066toN\u2069")).toBe("deton toN");
  expect(shownMessage(`\u0007 Not\nhonoured\u0000 ${"\u{1f4b3}".repeat(300)}`)).toBe(
    `Nothonoured ${"\u{1f4b3}".repeat(188)}`,
  );
});

test("a message that repeats something confidential is dropped, and one that only seems to is not", () => {
  const confidential = [pan, "s3cret", "917", ""];
  for (const text of [`about ${pan}`, "about 5528 7900 0000 0008", "the s3cret", "card 917 is wrong"])
    expect(shownMessage(text, confidential)).toBe("");
  expect(shownMessage("order 29171", confidential)).toBe("order 29171");
});
