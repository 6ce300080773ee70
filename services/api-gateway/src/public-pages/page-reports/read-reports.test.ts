import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readReports } from "./read-reports.ts";

const OWN = "https://pay.example";
const read = (body: unknown) => readReports(JSON.stringify(body), OWN);

const csp = (effectiveDirective: string, blockedURL: string) => ({
  type: "csp-violation",
  age: 10,
  url: `${OWN}/checkout/1`,
  body: { documentURL: `${OWN}/checkout/1`, effectiveDirective, blockedURL, disposition: "enforce" },
});

test.each([
  ["script-src-elem", "inline", { directive: "script-src-elem", source: "inline" }],
  ["script-src", "eval", { directive: "script-src", source: "eval" }],
  [
    "script-src-elem",
    "https://evil.example/skim.js?card=4111111111111111",
    { directive: "script-src-elem", source: "foreign", origin: "https://evil.example" },
  ],
  ["connect-src", `${OWN}/elsewhere`, { directive: "connect-src", source: "own" }],
  [
    "style-src-elem",
    "chrome-extension://abcdef/style.css",
    { directive: "style-src-elem", source: "extension" },
  ],
  ["script-src", "moz-extension", { directive: "script-src", source: "extension" }],
  ["img-src", "data", { directive: "img-src", source: "other" }],
  ["trusted-types", "trusted-types-policy", { directive: "trusted-types", source: "other" }],
  ["made-up", "inline", { directive: "other", source: "inline" }],
  ["connect-src", "https://4111111111111111.example/", { directive: "connect-src", source: "foreign" }],
  ["connect-src", `https://${"a.".repeat(100)}example/`, { directive: "connect-src", source: "foreign" }],
])("of %s and %s nothing is kept but words and an origin", (directive, blocked, violation) => {
  expect(read([csp(directive, blocked)])).toEqual([violation]);
});

test("the form of older browsers is read, whose directive may have its values with it", () => {
  const report = {
    "document-uri": OWN,
    "violated-directive": "script-src 'nonce-x'",
    "blocked-uri": "inline",
  };
  expect(read({ "csp-report": report })).toEqual([{ directive: "script-src", source: "inline" }]);
  expect(read({ "csp-report": { ...report, "effective-directive": "script-src-attr" } })).toEqual([
    { directive: "script-src-attr", source: "inline" },
  ]);
});

test("a script without its digest is a violation, too; reports of other kinds are passed over", () => {
  const integrity = {
    type: "integrity-violation",
    body: { blockedURL: `${OWN}/x.js`, destination: "script", reportOnly: false },
  };
  expect(read([{ type: "deprecation", body: {} }, integrity, null, 7])).toEqual([
    { directive: "integrity", source: "own" },
  ]);
});

test("what is no report is none, whatever it is", () => {
  for (const body of [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"csp-report":null}',
    JSON.stringify(Array.from({ length: 51 }, () => csp("script-src", "inline"))),
  ])
    expect(readReports(body, OWN)).toEqual([]);
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify([csp("script-src", "x"), value])),
  );
  fc.assert(
    fc.property(anything, (body) => {
      for (const { directive, source } of readReports(body, OWN))
        expect(`${directive} ${source}`).toMatch(/^[a-z -]+$/);
    }),
  );
});
