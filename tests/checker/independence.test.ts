import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// A checker that shared code with what it judges would share its mistakes.
test("the checker imports nothing but itself and Node", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
  const imports = files.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    return [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, source]) => `${name}: ${source}`);
  });
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((line) => !/: (?:\.\/[\w-]+\.ts|node:\w+)$/.test(line))).toEqual([]);
});
