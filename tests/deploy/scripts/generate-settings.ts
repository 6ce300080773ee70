import { writeFile } from "node:fs/promises";
import { settingsMarkdown } from "../settings-markdown.ts";

await writeFile(new URL("../../../docs/settings.md", import.meta.url), settingsMarkdown());
