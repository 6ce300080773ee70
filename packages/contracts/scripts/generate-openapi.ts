import { writeFile } from "node:fs/promises";
import { openApiJson } from "../src/openapi.ts";

await writeFile(new URL("../../../docs/openapi.json", import.meta.url), openApiJson());
