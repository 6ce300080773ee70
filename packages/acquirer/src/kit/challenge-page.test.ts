import { expect, test } from "vitest";

import { answeredPage, hiddenInputs } from "./challenge-page.ts";

const pan = "4355084355084358";
const page = (body: string) => `<html><body>${body}</body></html>`;
const form = page('<form action="https://acs.example/"><input name="creq" value="eyJ0aHJlZURT"></form>');
const read = (body: string | Buffer, contentType = "text/html", status = 200) =>
  answeredPage({ kind: "answered", status, bytes: Buffer.from(body), contentType }, { pan });

test("a page is shown as it is, in the characters that it declares", () => {
  expect(read(form)).toBe(form);
  expect(read(Buffer.from(page("şifre"), "utf8"), "text/html; charset=UTF-8")).toBe(page("şifre"));
  expect(read(Buffer.from([...Buffer.from("<html>"), 0xfe]), "text/html;charset=ISO-8859-9")).toBe("<html>ş");
  const masked = page("4355 08** **** 4358 435508***4358");
  expect(read(masked)).toBe(masked);
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
  ["other bytes than declared", Buffer.from("<html>\xfe", "latin1"), "text/html;charset=utf-8", 200],
])("%s is no page", (_, body, contentType, status) => {
  expect(read(body, contentType, status)).toBeUndefined();
});

test.each([
  ...['name="cv2"', "NAME = 'CV2'", "name=cvv", 'name="Cvv2Val"', 'name="cardcvv2"'].map(
    (name) => `<input ${name} value="123">`,
  ),
  `<p>${pan}</p>`,
  `<p>${Buffer.from(pan).toString("base64")}</p>`,
  pan.replace(/\d{4}/g, '<input value="$&">'),
])("a page with the card in %s is not shown", (body) => {
  expect(read(page(body))).toBeUndefined();
});

test("inputs are read in any spelling of their attributes", () => {
  const inputs = hiddenInputs(
    `<INPUT type=hidden name="One" value='a "b"'><input value=c name=two><input name="three">`,
  );
  expect([...inputs]).toEqual([
    ["one", 'a "b"'],
    ["two", "c"],
    ["three", ""],
  ]);
});
