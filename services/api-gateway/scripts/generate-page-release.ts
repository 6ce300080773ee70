import { writeFile } from "node:fs/promises";
import { describeRelease } from "../src/page-integrity/page-release.ts";
import { pageScriptsMarkdown, releasedPagesJson } from "./page-scripts-markdown.ts";

const release = describeRelease();
await writeFile(
  new URL("../src/page-integrity/released-pages.json", import.meta.url),
  releasedPagesJson(release),
);
await writeFile(new URL("../../../docs/page-scripts.md", import.meta.url), pageScriptsMarkdown(release));
