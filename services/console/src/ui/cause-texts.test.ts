import { RESULT_CODES } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { CAUSES } from "./cause-texts.ts";

test("each of the gateway's own result codes has words in every language", () => {
  for (const [language, causes] of Object.entries(CAUSES))
    expect(
      Object.keys(RESULT_CODES).filter((code) => !(code in causes)),
      language,
    ).toEqual([]);
});

test("the languages have words for the same causes", () => {
  expect(Object.keys(CAUSES.tr)).toEqual(Object.keys(CAUSES.en));
});
