import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openApiJson } from "./openapi.ts";

test("docs/openapi.json is what the contracts say; `npm run generate` writes it anew", async () => {
  const committed = await readFile(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
  expect(openApiJson()).toBe(committed);
});
