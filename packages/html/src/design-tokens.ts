import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";

const folder = assetPath("packages/html/src/assets");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

/** The colours and the type of all pages, as custom properties on `:root`: a style sheet begins with them. */
export const DESIGN_TOKENS = read("tokens.css");

/** The colours for readers who prefer a dark screen, for pages that take every colour from the tokens. */
export const DARK_TOKENS = read("dark.css");
