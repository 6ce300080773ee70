import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paymentStatesMarkdown } from "./payment-states-markdown.ts";

test("docs/payment-states.md is what the transition table says; `npm run generate` writes it anew", async () => {
  const committed = await readFile(new URL("../../../docs/payment-states.md", import.meta.url), "utf8");
  expect(paymentStatesMarkdown()).toBe(committed);
});
