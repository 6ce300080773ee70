import { expect, test } from "vitest";
import { returnUrlSchema } from "./return-url.ts";

const accepts = (url: string) => returnUrlSchema().safeParse(url).success;

test.each([
  "https://shop.example/paid",
  "https://shop.example",
  "HTTPS://shop.example:8443/a/b?order=1&x=%20#there",
  "https://xn--mnchen-3ya.example/?q",
  `https://shop.example/${"a".repeat(2_048 - 21)}`,
])("%s is taken", (url) => {
  expect(accepts(url)).toBe(true);
});

test.each([
  ["http", "http://shop.example/paid"],
  ["a script", "javascript:alert(1)"],
  ["a script behind a comment", "javascript://shop.example/%0aalert(1)"],
  ["data", "data:text/html,hello"],
  ["relative", "/paid"],
  ["without a scheme", "//shop.example/paid"],
  ["one slash", "https:/shop.example"],
  ["no host", "https:///paid"],
  ["no host but a query", "https://?x"],
  ["a user name", "https://bank.example@evil.example/"],
  ["a password", "https://a:b@evil.example/"],
  ["a backslash", "https://shop.example\\@evil.example/"],
  ["a line feed", "https://shop.example/\nSet-Cookie: a=b"],
  ["a carriage return", "https://shop.example/\r"],
  ["a tab in the scheme", "java\tscript:alert(1)"],
  ["a leading space", " https://shop.example/"],
  ["a NUL", "https://shop.example/\u0000"],
  ["a line feed before the host", "https://\nshop.example/"],
  ["a tab before the host", "https://\tshop.example/"],
  ["other letters", "https://shöp.example/"],
  ["another letter at once", "https://şhop.example/"],
  ["a bidirectional control", "https://shop.example/\u202e"],
  ["a bad port", "https://shop.example:99999/"],
  ["one character too long", `https://shop.example/${"a".repeat(2_048 - 20)}`],
])("%s is refused", (_case, url) => {
  expect(accepts(url)).toBe(false);
});
