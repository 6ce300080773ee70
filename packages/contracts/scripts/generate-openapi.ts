// The merchants' document is in git, since merchants build on it. Those of operators and staff go to .cache, for people.
import { mkdir, writeFile } from "node:fs/promises";
import { openApiJson } from "../src/openapi.ts";

const root = new URL("../../../", import.meta.url);
const FILES = {
  merchant: "docs/openapi.merchant.json",
  operator: ".cache/openapi.operator.json",
  staff: ".cache/openapi.staff.json",
} as const;

await mkdir(new URL(".cache/", root), { recursive: true });
for (const listener of ["merchant", "operator", "staff"] as const) {
  await writeFile(new URL(FILES[listener], root), openApiJson(listener));
}
