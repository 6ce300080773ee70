// The console has words for each text that settlement writes about differences and refused files.
import { expect, test } from "vitest";
import { TURKISH } from "../../services/console/src/settlement/detail-text.ts";
import { SETTLEMENT_TEXTS } from "../../services/console/src/settlement/settlement-texts.ts";
import { FILES, read } from "../tidy/tree.ts";

const written = FILES.filter((path) => /^services\/settlement\/src\/.*(?<!\.test)\.ts$/.test(path))
  .map(read)
  .join("\n");

test.each(Object.keys(TURKISH))("settlement writes: %s", (english) => {
  // In SQL a quote is doubled.
  const spellings = [english, english.replaceAll("'", "''")];
  expect(spellings.some((text) => written.includes(text))).toBe(true);
});

test.each(["en", "tr"] as const)("each code of a refused file has words (%s)", (language) => {
  const [, faults = ""] = /export type FileFault =([^;]+);/.exec(written) ?? [];
  const codes = [
    ...faults.matchAll(/\| "(\w+)"/g),
    ...written.matchAll(/await refuse\("(\w+)"/g),
    ...written.matchAll(/endAsRefused\([^;]*?reason: "(\w+)"/g),
  ].map(([, code]) => code);
  expect(Object.keys(SETTLEMENT_TEXTS[language].refusals).toSorted()).toEqual([...new Set(codes)].toSorted());
});
