import { stripTypeScriptTypes } from "node:module";
import { tokenizer, type Token } from "acorn";
import { openApiJson } from "@holdfast/contracts/openapi";
import { isSafe } from "redos-detector";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/**
 * How often one text can be matched in another way, at most, is counted by analysis and not by the clock: with a bound
 * that does not depend on the text's length a match takes time in proportion to it, 100 KB or not.
 */
const WAYS_MAX = 8;

/**
 * Ends the analysis of expressions that are not linear, as such. The largest of ours, zod's date, takes under half of
 * it.
 */
const STEPS_MAX = 10_000;

/** Run over the routes' own templates when the router is made, never over a client's input. */
const OWN_INPUT_ONLY = new Set(["/\\{(\\w+)\\}/g"]);

const literals = [...sourceFiles("packages/contracts/src/**/*.ts", "services/api-gateway/src/**/*.ts")]
  .filter(([path]) => !path.endsWith(".test.ts"))
  .flatMap(([path, source]) => regularExpressionsOf(source).map((expression) => ({ path, expression })))
  .filter(({ expression }) => !OWN_INPUT_ONLY.has(String(expression)));

/** Those that zod writes into the documents for ids and times, too. */
const documented = (["merchant", "operator", "staff"] as const).flatMap((listener) =>
  [...patternsOf(openApiJson(listener))].map((pattern) => ({
    path: `the OpenAPI document of the ${listener} API`,
    expression: new RegExp(pattern),
  })),
);

test("there are expressions to judge, and one that is not linear is told from them", () => {
  expect(literals.length).toBeGreaterThan(15);
  expect(documented.length).toBeGreaterThan(5);
  for (const bad of [/^(a+)+$/, /^(a|a)*$/, /\s+$/, /^\d*\d*x$/]) expect(isLinear(bad)).toBe(false);
});

test.each([...literals, ...documented])("$path: $expression is linear", ({ expression }) => {
  expect(isLinear(expression)).toBe(true);
});

function isLinear(expression: RegExp): boolean {
  return isSafe(expression, { maxScore: WAYS_MAX, maxSteps: STEPS_MAX }).safe;
}

function regularExpressionsOf(source: string): RegExp[] {
  const tokens = tokenizer(stripTypeScriptTypes(source), { ecmaVersion: "latest", sourceType: "module" });
  return [...tokens].flatMap((token: Token & { value?: unknown }) => {
    if (token.type.label !== "regexp") return [];
    const { pattern, flags } = token.value as { pattern: string; flags: string };
    return [new RegExp(pattern, flags)];
  });
}

function patternsOf(document: string): Set<string> {
  const patterns = new Set<string>();
  JSON.parse(document, (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  return patterns;
}
