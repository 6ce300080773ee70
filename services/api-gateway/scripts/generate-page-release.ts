import { writeFile } from "node:fs/promises";
import { describeRelease } from "../src/page-integrity/page-release.ts";
import { pageScriptsMarkdown } from "./page-scripts-markdown.ts";

const document = new URL("../../../docs/page-scripts.md", import.meta.url);
await writeFile(document, pageScriptsMarkdown(describeRelease()));
