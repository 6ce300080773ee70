import { expect, test } from "vitest";
import { readBrowser } from "./read-browser.ts";

const headers = { accept: "text/html", "user-agent": "Test/1.0", "accept-language": "tr-TR,tr;q=0.9" };
const read = (given: object = headers, form: Record<string, string> = {}) =>
  readBrowser({ ...given }, new URLSearchParams(form));

test("a browser without script is known by its headers", () => {
  expect(read()).toEqual({
    browserAcceptHeader: "text/html",
    browserUserAgent: "Test/1.0",
    browserLanguage: "tr-TR",
    browserJavascriptEnabled: false,
    challengeWindowSize: "05",
  });
});

test("the page's script adds the screen and the time zone", () => {
  const asked = { ...headers, accept: "application/json" };
  expect(read(asked, { browser: "30,1080,1920,-180" })).toEqual({
    browserAcceptHeader: "text/html,*/*;q=0.8",
    browserUserAgent: "Test/1.0",
    browserLanguage: "tr-TR",
    browserJavascriptEnabled: true,
    browserJavaEnabled: false,
    browserColorDepth: "24",
    browserScreenHeight: "1080",
    browserScreenWidth: "1920",
    browserTZ: "-180",
    challengeWindowSize: "05",
  });
});

test.each(["", "x", "24,1080,1920,99999", "24,tall,1920,0"])(
  "a field of %j is left out, and never a fault",
  (browser) => {
    expect(read(headers, { browser })).toEqual(read());
  },
);

test.each(["accept", "user-agent", "accept-language"])("without %s there is no browser", (name) => {
  expect(read(Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)))).toBeUndefined();
});
