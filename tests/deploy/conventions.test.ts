import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCHEMA_URL } from "../../packages/telemetry/src/scope.ts";
import { instrumentNames } from "./known-metrics.ts";

const CONVENTIONS = "node_modules/@opentelemetry/semantic-conventions";
const read = (file: string) => readFileSync(file, "utf8");

/** Names of attributes, as sources write them: `"http.route": route`. */
function attributeNames(): string[] {
  return globSync("{services,packages,tools}/*/src/**/*.ts")
    .filter((file) => !file.endsWith(".test.ts"))
    .map(read)
    .filter((source) => /@holdfast\/telemetry|@opentelemetry\/api/.test(source))
    .flatMap((source) => [...source.matchAll(/"([a-z_]+(?:\.[a-z_]+)+)":/g)].map(([, name = ""]) => name));
}

test("names of spans' attributes and of metrics are the conventions' or begin with our own", () => {
  const texts = globSync(`${CONVENTIONS}/dist/*.mjs`).map(read).join("\n");
  const known = new Set([...texts.matchAll(/"([\w.]+)"/g)].map(([, name]) => name));
  const used = new Set([...instrumentNames(), ...attributeNames()]);
  const others = [...used].filter((name) => !name.startsWith("holdfast."));
  expect(others.length).toBeGreaterThan(25);
  expect(others.filter((name) => !known.has(name))).toEqual([]);
});

test("what a process sends names the version of the conventions", () => {
  const { version } = JSON.parse(read(`${CONVENTIONS}/package.json`)) as { version: string };
  expect(SCHEMA_URL).toBe(`https://opentelemetry.io/schemas/${version}`);
});
