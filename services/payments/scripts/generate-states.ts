import { writeFile } from "node:fs/promises";
import { paymentStatesMarkdown } from "../src/payment/payment-states-markdown.ts";

await writeFile(new URL("../../../docs/payment-states.md", import.meta.url), paymentStatesMarkdown());
