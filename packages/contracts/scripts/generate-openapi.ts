import { writeFile } from "node:fs/promises";
import { openApiJson } from "../src/openapi.ts";

for (const listener of ["merchant", "operator", "staff"] as const) {
  const file = new URL(`../../../docs/openapi.${listener}.json`, import.meta.url);
  await writeFile(file, openApiJson(listener));
}
