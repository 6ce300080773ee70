import { expect, test } from "vitest";
import { checkReturnUrls, returnUrlSchema } from "./return-url.ts";

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

const ON_THE_MACHINE = [
  "http://localhost",
  "http://localhost:3000/paid?order=1#there",
  "http://127.0.0.1",
  "http://127.0.0.1:8080?x",
];

test.each(ON_THE_MACHINE)("%s is taken in test mode and refused in live mode", (url) => {
  const faultsIn = (livemode: boolean) => {
    const faults: string[] = [];
    const fields = { successUrl: url, failureUrl: url, returnUrl: url };
    checkReturnUrls(fields, (field) => faults.push(field), { livemode });
    return faults;
  };
  expect(accepts(url)).toBe(true);
  expect(faultsIn(false)).toEqual([]);
  expect(faultsIn(true)).toEqual(["successUrl", "failureUrl", "returnUrl"]);
});

test.each([
  ["http", "http://shop.example/paid"],
  ["http at another name of this machine", "http://localhost.example/paid"],
  ["http at another loopback address", "http://127.0.0.2/paid"],
  ["http at an address that begins so", "http://127.0.0.1.example/"],
  ["http at this machine with a user", "http://localhost@evil.example/"],
  ["http at this machine with a password", "http://localhost:80@evil.example/"],
  ["http at this machine with a backslash", "http://localhost/\\evil.example"],
  ["http at this machine with a bad port", "http://localhost:99999/"],
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
