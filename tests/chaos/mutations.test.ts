import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MUTATIONS } from "./mutations.ts";

const repository = join(import.meta.dirname, "..", "..");

// A mutation whose text is gone would prove nothing in the next run, so a change of that text has to update
// its mutation.
test.each(MUTATIONS)("what this takes out is there exactly once: $name", ({ changes }) => {
  for (const { file, search } of changes) {
    const text = readFileSync(join(repository, file), "utf8");
    expect(text.split(search).length - 1, `${file}: ${search}`).toBe(1);
  }
});

test.each(MUTATIONS)("the scenario that has to notice is there: $name", ({ scenario: { file, test } }) => {
  expect(readFileSync(join(import.meta.dirname, file), "utf8")).toContain(test);
});
