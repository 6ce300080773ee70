import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCard } from "./card-in-text.ts";

const CARD = { pan: "4539578763621486", cvv: "739" };
const { pan, cvv } = CARD;
const hexOf = (text: string) => Buffer.from(text).toString("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const escaped = (text: string, prefix: string, suffix = "") =>
  Array.from(text)
    .map((digit) => prefix + hexOf(digit) + suffix)
    .join("");
const chunked = (between: string) => pan.replaceAll(/(.{4})(?=.)/g, `$1${between}`);

const WRITTEN: [string, string][] = [
  ["as it is", pan],
  ["spaced", chunked(" ")],
  ["dashed", chunked("-")],
  ["in tags", chunked("</b> <b>")],
  ["reversed", Array.from(pan).toReversed().join("")],
  ["reversed and spaced", Array.from(chunked(" ")).toReversed().join("")],
  ["URL-encoded", escaped(pan, "%")],
  ["URL-encoded with spaces", encodeURIComponent(chunked(" "))],
  ["URL-encoded twice", encodeURIComponent(escaped(pan, "%"))],
  [
    "in entities",
    Array.from(pan)
      .map((digit) => `&#${digit.charCodeAt(0)};`)
      .join(""),
  ],
  ["in hexadecimal entities", escaped(pan, "&#x", ";")],
  ["in escapes of JavaScript", escaped(pan, "\\x")],
  ["in escapes of JSON", escaped(pan, "\\u00")],
  ["in hexadecimal", hexOf(pan)],
  [
    "in full-width digits",
    Array.from(pan)
      .map((digit) => String.fromCodePoint(0xff_10 + Number(digit)))
      .join(""),
  ],
  ["in base64", base64(pan)],
  ["in base64, behind one character", base64(`a${pan}`)],
  ["in base64, behind two characters", base64(`ab${pan}bc`)],
  ["in base64url", Buffer.from(`{"pan":"${pan}","to":"ÿÿ"}`).toString("base64url")],
  ["in base64 that is URL-encoded", encodeURIComponent(base64(`pan=${chunked(" ")}`))],
  ["in base64 of a query", base64(`a=${escaped(pan, "%")}`)],
  ["in base64 of base64", base64(base64(`{"pan":"${pan}"}`))],
  ["in base64, reversed", base64(Array.from(pan).toReversed().join(""))],
];

test.each(WRITTEN)("a number %s is found", (_how, text) => {
  expect(findCard(text, CARD)).toBe("card");
  expect(findCard(`<input type="hidden" name="md" value="${text}">`, CARD)).toBe("card");
  expect(findCard(`https://acs.example/?md=${text}&x=1`, CARD)).toBe("card");
});

test("a number in base64 is found wherever it begins", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, behind) => {
      expect(findCard(`PaReq=${base64(before + pan + behind)}`, CARD)).toBe("card");
    }),
  );
});

describe("a security code", () => {
  test.each([
    ["as a field's value", cvv],
    ["as a field's value, padded", ` ${cvv}\n`],
    ["as a field's value, in base64", base64(cvv)],
    ["as a field's value, URL-encoded", escaped(cvv, "%")],
    ["as a field's value, in entities", escaped(cvv, "&#x", ";")],
    ["in an input", `<input name=cv2 value="${cvv}">`],
    ["in an input without quotes", `<input value=${cvv} name=cv2>`],
    ["in an address", `https://acs.example/?a=1&cv2=${cvv}#x`],
    ["in a form", `cv2=${cvv}&a=1`],
    ["in JSON", `{"cv2": "${cvv}"}`],
    ["in JSON in base64", base64(`{"a":1,"cv2":"${cvv}"}`)],
  ])("%s is found", (_where, text) => {
    expect(findCard(text, CARD)).toBe("card");
  });

  test.each([
    ["in a size", `<img width=${cvv} height="${cvv}"><style>p { width: ${cvv}px }</style>`],
    ["in a longer number", `<input value="1${cvv}"><a href="?amount=${cvv}00">`],
    ["in a text", `Reference ${cvv}, please wait ${cvv} ms`],
  ])("%s is a number like any other", (_where, text) => {
    expect(findCard(text, CARD)).toBe("clean");
  });
});

test("what a bank shows without a card is clean", () => {
  fc.assert(
    fc.property(fc.array(fc.base64String({ maxLength: 200 }), { maxLength: 10 }), (texts) => {
      const fields = texts.map((text) => `<input type="hidden" name="f" value="${text}">`).join("\n");
      expect(findCard(`<form action="https://acs.example">${fields}</form>`, CARD)).toBe("clean");
    }),
  );
});

test("what is too large once it is decoded may have anything in it", () => {
  expect(findCard("a".repeat(16_000_001), CARD)).toBe("unreadable");
});
