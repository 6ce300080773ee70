import { writeFile } from "node:fs/promises";
import { retentionMarkdown } from "../retention-markdown.ts";

await writeFile(new URL("../../../docs/retention.md", import.meta.url), retentionMarkdown());
