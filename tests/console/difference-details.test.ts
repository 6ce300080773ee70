// The sentences about differences that the console has in Turkish are those that settlement writes.
import { expect, test } from "vitest";
import { TURKISH } from "../../services/console/src/settlement/detail-text.ts";
import { FILES, read } from "../tidy/tree.ts";

const written = FILES.filter((path) => /^services\/settlement\/src\/.*(?<!\.test)\.ts$/.test(path))
  .map(read)
  .join("\n");

test.each(Object.keys(TURKISH))("settlement writes: %s", (english) => {
  // In SQL a quote is doubled.
  const spellings = [english, english.replaceAll("'", "''")];
  expect(spellings.some((text) => written.includes(text))).toBe(true);
});
