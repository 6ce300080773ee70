import { JsonNumber } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import { DEPTH_MAX, parseJson } from "./parse-json.ts";
import { Refusal } from "../http/refusal.ts";

function parse(text: string): unknown {
  return parseJson(Buffer.from(text));
}

function codeOf(parsed: unknown): string | undefined {
  return parsed instanceof Refusal ? parsed.code : undefined;
}

test("numbers keep their source text, at any depth", () => {
  expect(parse('{"a": 1e400, "b": [9007199254740993, {"c": -0}], "d": 1.50}')).toEqual({
    a: new JsonNumber("1e400"),
    b: [new JsonNumber("9007199254740993"), { c: new JsonNumber("-0") }],
    d: new JsonNumber("1.50"),
  });
});

test("text is kept code point by code point", () => {
  expect(parse('{"n": "Zo\u0065\u0308 👩‍💻 مریم", "q": "\\"{[:,\\\\", "s": "\\ud800"}')).toEqual({
    n: "Zoe\u0308 👩‍💻 مریم",
    q: '"{[:,\\',
    s: "\ud800",
  });
});

test.each([
  '{"a": "\\":"}',
  '{"a\\\\": {"\\"{": 1}}',
  "[]",
  "null",
  '"text"',
  "true",
  "[1, [2], {}]",
  '{"": {"": ""}}',
  ' {"a": "b"}\n',
])("takes %s", (text) => {
  expect(codeOf(parse(text))).toBeUndefined();
});

describe("malformed", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["a byte order mark", '\ufeff{"a": 1}'],
    ["a cut", '{"a": 1'],
    ["an open string", '{"a": "b'],
    ["a string that ends in a backslash", '{"a": "b\\'],
    ["a comment", '{"a": 1} // b'],
    ["two values", "{} {}"],
    ["a trailing comma", '{"a": 1,}'],
    ["single quotes", "{'a': 1}"],
    ["a leading zero", '{"a": 01.00}'],
    ["a hexadecimal number", '{"a": 0x1}'],
    ["NaN", '{"a": NaN}'],
    ["a bare control character in a string", '{"a": "\u0001"}'],
  ])("is %s", (_case, text) => {
    expect(codeOf(parse(text))).toBe("malformed_json");
  });

  test("is what is not UTF-8", () => {
    const overlong = Buffer.from([...Buffer.from('{"a":"'), 0xc0, 0x80, ...Buffer.from('"}')]);
    expect(codeOf(parseJson(overlong))).toBe("malformed_json");
    expect(codeOf(parseJson(Buffer.from('{"a": "é"}', "latin1")))).toBe("malformed_json");
  });

  test("never says what was sent", () => {
    expect(parse('{"pan": 4111111111111111x}')).toEqual(new Refusal("malformed_json", { detail: undefined }));
  });
});

describe("a name twice in one object is malformed", () => {
  test.each([
    ["with two values", '{"amount": 1, "amount": 1000}'],
    ["with one value", '{"amount": 1, "amount": 1}'],
    ["spelled with an escape", '{"amount": 1, "\\u0061mount": 1000}'],
    ["in a nested object", '{"a": {"b": 1, "b": 2}}'],
    ["in an object in a list", '{"a": [{}, {"b": 1, "b": 2}]}'],
    ["where the last one hides a whole object", '{"a": {"b": 1, "c": 2}, "a": 1}'],
    ["where colons stand in strings", '{"a": ":", "a": "::\\"::"}'],
    ["empty", '{"": 1, "": 2}'],
    ["as __proto__", '{"__proto__": 1, "__proto__": 2}'],
    ["at the top of a long list of others", `{"x": 1, ${'"y": [{"z": ":"}], '.repeat(1)}"x": 2}`],
  ])("%s", (_case, text) => {
    expect(codeOf(parse(text))).toBe("malformed_json");
  });

  test("but the same name in different objects is fine", () => {
    expect(codeOf(parse('{"a": {"a": {"a": [{"a": 1}, {"a": 2}]}}}'))).toBeUndefined();
  });
});

test.each(["__proto__", "constructor", "prototype"])("the name %s is refused at any depth", (name) => {
  const faults = { errors: [{ field: name, code: "forbidden_key", message: "is not allowed as a name" }] };
  for (const text of [`{"${name}": {"x": 1}}`, `{"a": [{"b": {"${name}": 1}}]}`]) {
    expect(parse(text)).toEqual(new Refusal("validation_failed", { members: faults }));
  }
  expect(codeOf(parse(`{"a": "${name}"}`))).toBeUndefined();
});

test("nesting has a bound, in objects and in lists, but not in strings", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;
  expect(codeOf(parse(nested(DEPTH_MAX)))).toBeUndefined();
  expect(codeOf(parse(nested(DEPTH_MAX + 2)))).toBe("malformed_json");
  expect(codeOf(parse(`["${"[{".repeat(1_000)}"]`))).toBeUndefined();
  expect(codeOf(parse(`[${"[{}], ".repeat(100)}1]`))).toBeUndefined();
});
