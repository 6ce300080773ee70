import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { FIXED } from "../../test/fixed-mapping.ts";
import { parseMapping, readMappings, SHIPPED_MAPPINGS } from "./mapping.ts";

test("every shipped mapping is one, and its file is named for it", async () => {
  const names = readdirSync(SHIPPED_MAPPINGS).map((file) => file.replace(/\.json$/, ""));
  const mappings = await readMappings([SHIPPED_MAPPINGS]);
  expect([...mappings.keys()].toSorted()).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(["generic", "nestpay", "iyzico", "camt.053"]));
});

test("a later directory replaces what an earlier one has", async () => {
  expect((await readMappings([SHIPPED_MAPPINGS, SHIPPED_MAPPINGS])).size).toBe(
    (await readMappings([SHIPPED_MAPPINGS])).size,
  );
});

test.each([
  ["no JSON", "{", "is not JSON"],
  [
    "an unknown field",
    '{"source":"a","version":1,"description":"x","file":{"format":"camt.053"},"script":"1"}',
    "script",
  ],
  ["an unknown format", '{"source":"a","version":1,"description":"x","file":{"format":"pdf"}}', "format"],
  ["no name", '{"version":1,"description":"x","file":{"format":"camt.053"}}', "source"],
])("of %s it is said what is wrong", (_, text, part) => {
  expect(() => parseMapping(text, "mine.json")).toThrow(part);
});

test.each([
  [
    "that it does not say the place of",
    { name: "TUTAR", from: 50, length: 12 },
    "AMOUNT",
    'no column "TUTAR"',
  ],
  ["that stands there twice", { name: "ID", from: 60, length: 1 }, undefined, '"ID" twice'],
])("of a column of fixed width %s it is said what is wrong", (_, column, renamed, part) => {
  const kept = FIXED.file.columns.filter(({ name }) => name !== column.name || !renamed);
  const columns = [...kept, { ...column, name: renamed ?? column.name }];
  const mapping = { ...FIXED, file: { ...FIXED.file, columns } };
  expect(() => parseMapping(JSON.stringify(mapping), "mine.json")).toThrow(part);
});
