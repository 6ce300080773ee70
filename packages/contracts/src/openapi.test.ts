import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openApiJson } from "./openapi.ts";

test.each(["merchant", "operator", "staff"] as const)(
  "docs/openapi.%s.json is what the contracts say; `npm run generate` writes it again",
  async (listener) => {
    const file = new URL(`../../../docs/openapi.${listener}.json`, import.meta.url);
    expect(openApiJson(listener)).toBe(await readFile(file, "utf8"));
  },
);
