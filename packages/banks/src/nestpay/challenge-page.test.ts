import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { challengePage, hasCardNumber } from "./challenge-page.ts";

const pan = "4355084355084358";
const page = (body: string) => `<html><body>${body}</body></html>`;
const form = page('<form action="https://acs.example/"><input name="creq" value="eyJ0aHJlZURT"></form>');
const read = (body: string | Buffer, contentType = "text/html", status = 200) =>
  challengePage({ kind: "answered", status, bytes: Buffer.from(body), contentType }, { pan });

test("a page is shown as it is, in the characters that it declares", () => {
  expect(read(form)).toBe(form);
  expect(read(Buffer.from(page("şifre"), "utf8"), "text/html; charset=UTF-8")).toBe(page("şifre"));
  expect(read(Buffer.from([...Buffer.from("<html>"), 0xfe]), "text/html;charset=ISO-8859-9")).toBe("<html>ş");
});

test.each([
  ["an error", form, "text/html", 500],
  ["a redirect", form, "text/html", 302],
  ["XML", form, "text/xml", 200],
  ["a page of another type", form, "text/htmlx", 200],
  ["no type", form, "", 200],
  ["nothing", "", "text/html", 200],
  ["a text", "try later", "text/html", 200],
  ["a page with a zero", `${form}\u0000`, "text/html", 200],
  [
    "a page that is not what it declares",
    Buffer.from("<html>\xfe", "latin1"),
    "text/html;charset=utf-8",
    200,
  ],
])("%s is no page", (_, body, contentType, status) => {
  expect(read(body, contentType, status)).toBeUndefined();
});

test.each(['name="cv2"', "NAME = 'CV2'", "name=cvv", 'name="Cvv2Val"'])(
  "a page with a field %s is not shown",
  (name) => {
    expect(read(page(`<input ${name} value="123">`))).toBeUndefined();
  },
);

describe("a page with the card's number is not shown", () => {
  const codeOf = (digit: string) => digit.charCodeAt(0);
  const eachDigit = (write: (digit: string) => string) => pan.replace(/\d/g, write);
  const hex = Buffer.from(pan).toString("hex");
  test.each([
    ["as it is", pan],
    ["with spaces", "4355 0843 5508 4358"],
    ["with hyphens", "4355-0843-5508-4358"],
    ["with tags", "4355<b>0843</b>5508<i>4358</i>"],
    ["as entities", eachDigit((digit) => `&#${codeOf(digit)};`)],
    ["as hexadecimal entities", eachDigit((digit) => `&#x${codeOf(digit).toString(16)};`)],
    ["percent-encoded", eachDigit((digit) => `%3${digit}`)],
    ["percent-encoded twice", eachDigit((digit) => `%253${digit}`)],
    ["as entities that are percent-encoded", eachDigit((digit) => `%26%23${codeOf(digit)}%3B`)],
    ["after a percent sign", `%${pan}`],
    ["escaped for a script", eachDigit((digit) => `\\u003${digit}`)],
    ["in hexadecimal digits", hex],
    ["in capital ones", hex.toUpperCase()],
    ["in base64", Buffer.from(pan).toString("base64")],
    ["in base64 with lines", Buffer.from(pan).toString("base64").replace(/.{6}/g, "$&\r\n")],
  ])("%s", (_, text) => {
    expect(read(page(`<p>${text}</p>`))).toBeUndefined();
  });

  test("in base64, whatever stands before and after it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        expect(hasCardNumber(Buffer.from(before + pan + after).toString("base64"), pan)).toBe(true);
      }),
    );
  });
});

test("a masked number is none", () => {
  expect(read(page("4355 08** **** 4358 435508***4358"))).toBeDefined();
});
