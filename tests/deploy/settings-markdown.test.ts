import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { configSchemas } from "./service-facts.ts";
import { settingsMarkdown } from "./settings-markdown.ts";

const document = settingsMarkdown();

test("docs/settings.md is what the schemas say; `npm run generate` writes it again", async () => {
  const committed = await readFile(new URL("../../docs/settings.md", import.meta.url), "utf8");
  expect(document).toBe(committed);
});

test.each(Object.entries(configSchemas))("every setting of %s is listed", (_, schema) => {
  const missing = Object.keys(schema.shape).filter((name) => !document.includes(`\n| \`${name}\` |`));
  expect(missing).toEqual([]);
});
