import { stripTypeScriptTypes } from "node:module";
import { tokenizer, type Token } from "acorn";
import { openApiJson } from "@holdfast/contracts/openapi";
import { isSafe } from "redos-detector";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/**
 * The most ways in which one text may match, found by analysis and not by the clock. With a bound that does
 * not depend on the text's length, a match takes time in proportion to it, 100 KB or not.
 */
const WAYS_MAX = 8;

/**
 * Bounds the analysis of an expression, which then counts as not linear. The largest of ours, zod's date,
 * needs less than half of it.
 */
const STEPS_MAX = 10_000;

/** Run over our own templates and pages, or over what is short, so that the analysis has nothing to say about them. */
const JUDGED_BY_HAND = new Set([
  // The routes' templates, when the router and the examples are made, and the texts of a released page.
  String(/\{(\w+)\}/g),
  String(/\{(\w+)\}/),
  String(/\{([a-zA-Z]+)\}/),
  // A number of forty characters at most.
  String(/0+$/),
  // At each place it ends after thirteen digits, or after the run that it takes whole.
  String(/[0-9]{13,}/g),
  // An expiry date: the text between month and year is neither digit nor letter, so each part has one end.
  String(
    /^20(?<year>\d{2})[^\p{L}\p{N}]*(?<month>\d{2})$|^(?<month>\d{1,2})[^\p{L}\p{N}]*(?:20)?(?<year>\d{2})$/u,
  ),
  // A brand's logo, which the gateway has written into its own page.
  String(
    /<svg class="brand-logo" viewBox="([^"<>]*)" aria-hidden="true" focusable="false">((?:\s*<[a-z]+ [^<>]*\/>)*)\s*<\/svg>/,
  ),
]);

const literals = [...sourceFiles("packages/contracts/src/**/*.ts", "services/api-gateway/src/**/*.ts")]
  .filter(([path]) => !path.endsWith(".test.ts"))
  .flatMap(([path, source]) => regularExpressionsOf(source).map((expression) => ({ path, expression })))
  .filter(({ expression }) => !JUDGED_BY_HAND.has(String(expression)));

/** The expressions in the OpenAPI documents, including zod's own for ids and times. */
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
