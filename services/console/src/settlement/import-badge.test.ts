import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { importBadge } from "./import-badge.ts";

const shown = (language: "en" | "tr", reason: string) =>
  importBadge({ language, locale: language, texts: TEXTS[language] }, { state: "REFUSED", reason }).text;

test("a file says in words why it was refused, in the reader's language", () => {
  expect(shown("en", "mapping_does_not_fit")).toContain("the mapping does not fit");
  expect(shown("tr", "mapping_does_not_fit")).toContain("eşleme dosyaya uymuyor");
  expect(shown("en", "a_code_of_tomorrow")).toContain("a_code_of_tomorrow");
});
