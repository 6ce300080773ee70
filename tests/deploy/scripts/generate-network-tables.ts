import { writeFile } from "node:fs/promises";
import { buildOverlay } from "../build-overlay.ts";
import { networkMarkdown } from "../network-markdown.ts";

const [production, development] = await Promise.all([
  buildOverlay("production"),
  buildOverlay("development"),
]);
await writeFile(
  new URL("../../../docs/network.md", import.meta.url),
  networkMarkdown({ production, development }),
);
