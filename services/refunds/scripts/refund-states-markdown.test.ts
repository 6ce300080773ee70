import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { refundStatesMarkdown } from "./refund-states-markdown.ts";

test("docs/refund-states.md is what the transition table says; `npm run generate` writes it anew", async () => {
  const committed = await readFile(new URL("../../../docs/refund-states.md", import.meta.url), "utf8");
  expect(refundStatesMarkdown()).toBe(committed);
});
