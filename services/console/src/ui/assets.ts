import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { DARK_TOKENS, DESIGN_TOKENS } from "@holdfast/html";

/** A file that every page loads. Its address changes with its content, so it may be cached forever. */
export type Asset = { path: string; mediaType: string; body: string };

const folder = assetPath("services/console/src/ui/assets");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

export const STYLE = asset(
  "css",
  "text/css; charset=utf-8",
  `${DESIGN_TOKENS}\n${DARK_TOKENS}\n${read("console.css")}`,
);
export const SCRIPT = asset("js", "text/javascript; charset=utf-8", read("console.js"));

export const ASSET_HEADERS = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "X-Content-Type-Options": "nosniff",
};

function asset(extension: string, mediaType: string, body: string): Asset {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { path: `/assets/console.${digest}.${extension}`, mediaType, body };
}
