import { writeFile } from "node:fs/promises";
import { refundStatesMarkdown } from "./refund-states-markdown.ts";

await writeFile(new URL("../../../docs/refund-states.md", import.meta.url), refundStatesMarkdown());
