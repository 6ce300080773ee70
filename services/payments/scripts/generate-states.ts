import { writeFile } from "node:fs/promises";
import { paymentStatesMarkdown } from "./payment-states-markdown.ts";

await writeFile(new URL("../../../docs/payment-states.md", import.meta.url), paymentStatesMarkdown());
