import { readFile, writeFile } from "node:fs/promises";
import { buildOverlay } from "../build-overlay.ts";
import { withNetworkTables } from "../network-markdown.ts";

const architecture = new URL("../../../ARCHITECTURE.md", import.meta.url);
const [production, development] = await Promise.all([
  buildOverlay("production"),
  buildOverlay("development"),
]);
await writeFile(
  architecture,
  withNetworkTables(await readFile(architecture, "utf8"), { production, development }),
);
