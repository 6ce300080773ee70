// The contracts' list, which merchants read, has every result code of the gateway's own; examples have banks' codes,
// too.
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { RESULT_CODES } from "@holdfast/contracts";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");

test("each result code that a service writes is in the list, and each of the list is written", () => {
  const files = globSync(["services/{payments,refunds}/src/**/*.ts", "packages/contracts/src/**/*.ts"], {
    cwd: root,
  }).filter((file) => !file.endsWith(".test.ts") && !file.startsWith("packages/contracts/src/examples/"));
  const sources = files.map((file) => readFileSync(resolve(root, file), "utf8")).join("\n");
  const literals = [...sources.matchAll(/\b(?:resultCode|result_code): "(\w+)"/g)].map(
    ([, code = ""]) => code,
  );
  const constants = /^export const (?:IN_REVIEW|REVIEW_REJECTED|\w+_RESULT) = "(\w+)"/gm;
  const named = [...sources.matchAll(constants)].map(([, code = ""]) => code);
  const [, rules = ""] = /^export type RuleName = (.+);$/m.exec(sources) ?? [];
  const ofRules = [...rules.matchAll(/"(\w+)"/g)].map(([, name]) => `rule_${name}`);
  expect(ofRules).not.toEqual([]);
  expect([...new Set([...literals, ...named, ...ofRules])].toSorted()).toEqual(
    Object.keys(RESULT_CODES).toSorted(),
  );
});
