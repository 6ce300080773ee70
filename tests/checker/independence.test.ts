import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

// A checker that shared code with the services would share their mistakes.
test("the checker imports nothing but itself and Node", () => {
  const root = import.meta.dirname;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const imports = files.flatMap((name) => {
    const text = readFileSync(join(root, name), "utf8");
    return [...text.matchAll(/ from "([^"]+)";$|^import "([^"]+)";$|import\("([^"]+)"\)/gm)].map(
      ([, ...sources]) => ({ name, source: sources.find((source) => source !== undefined) ?? "" }),
    );
  });
  expect(imports.length).toBeGreaterThan(10);
  const strangers = imports.filter(({ name, source }) => {
    if (source.startsWith("node:")) return false;
    return !source.startsWith(".") || relative(root, join(root, dirname(name), source)).startsWith("..");
  });
  expect(strangers).toEqual([]);
});
