import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openApiJson } from "./openapi.ts";

test("docs/openapi.merchant.json is what the contracts say; `npm run generate` writes it again", async () => {
  const file = new URL("../../../docs/openapi.merchant.json", import.meta.url);
  expect(openApiJson("merchant")).toBe(await readFile(file, "utf8"));
});
