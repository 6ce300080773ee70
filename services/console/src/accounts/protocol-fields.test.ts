import { expect, test } from "vitest";
import { numberIn, protocolFields, sentValue } from "./protocol-fields.ts";

const text = { type: "string", description: "A text." };
const SCHEMA = {
  type: "object",
  properties: {
    url: text,
    mode: { type: "string", enum: ["P", "T"], default: "P" },
    post: { type: "string", const: "server", default: "server" },
    credit: { type: "boolean", default: false },
    unsigned: { type: "array", items: { type: "string" }, default: ["one"] },
    seconds: { type: "integer" },
    defaults: {
      type: "object",
      properties: {
        ip: text,
        address: { type: "object", properties: { city: text, code: text }, required: ["city"] },
      },
      required: ["ip"],
    },
  },
  required: ["url", "defaults"],
};

test("a schema is fields of each kind, by the names that faults have, with what is required", () => {
  const { fields } = protocolFields("settings", SCHEMA);
  expect(fields.map(({ path, kind, isRequired }) => [path, kind, isRequired])).toEqual([
    ["settings.url", "text", true],
    ["settings.mode", "choice", false],
    ["settings.post", "choice", false],
    ["settings.credit", "boolean", false],
    ["settings.unsigned", "list", false],
    ["settings.seconds", "number", false],
    ["settings.defaults", "group", true],
  ]);
  expect(fields[0]!.hint).toBe("A text.");
  expect(fields[6]!.fields[1]!.fields.map(({ path }) => path)).toEqual([
    "settings.defaults.address.city",
    "settings.defaults.address.code",
  ]);
});

test("a form is the nested value: what is empty is left out, and a required group is there", () => {
  const form = new URLSearchParams({
    "settings.url": " https://bank.example ",
    "settings.mode": "T",
    "settings.credit": "true",
    "settings.unsigned": "a, b",
    "settings.seconds": "30",
    "settings.defaults.address.code": "35000",
  });
  expect(sentValue(protocolFields("settings", SCHEMA), form)).toEqual({
    url: "https://bank.example",
    mode: "T",
    credit: true,
    unsigned: ["a", "b"],
    seconds: 30,
    defaults: { address: { code: "35000" } },
  });
  expect(sentValue(protocolFields("settings", SCHEMA), new URLSearchParams())).toEqual({
    credit: false,
    unsigned: [],
    defaults: {},
  });
});

test.each([
  ["30", 30],
  ["1.5", 1.5],
  ["1,5", "1,5"],
  ["", ""],
  ["1e3", "1e3"],
  ["9".repeat(16), "9".repeat(16)],
])("the number %s is sent as %s", (given, sent) => {
  expect(numberIn(given)).toBe(sent);
});
