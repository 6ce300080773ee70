// The list that merchants read has each code that a field can be refused with, and no other.
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { FIELD_CODES } from "./field-codes.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
const sources = globSync(["packages/contracts/src/**/*.ts", "services/*/src/**/*.ts"], {
  cwd: root,
})
  .filter((file) => !/\.test\.ts$|field-codes\.ts$/.test(file))
  .map((file) => readFileSync(resolve(root, file), "utf8"))
  .join("\n");

test("a code that a schema names in `params`, which no compiler checks, is in the list", () => {
  const named = [...sources.matchAll(/params: \{ code: ("\w+"|[^ ]+) \}/g)].map(([, code]) => code);
  expect(named.length).toBeGreaterThan(10);
  const known = new Set<string | undefined>(FIELD_CODES.map((code) => JSON.stringify(code)));
  // Constants and unions are typed where they are declared.
  const typed = new Set(["INVALID_URL.code", "fault"]);
  expect(named.filter((code) => !known.has(code) && !typed.has(code!))).toEqual([]);
});

test("each code of the list is one that some rule names", () => {
  expect(FIELD_CODES.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});
