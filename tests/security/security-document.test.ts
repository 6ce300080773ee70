import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "./source-files.ts";

const sections = read("docs/security.md")
  .split(/^## /m)
  .filter((section) => /^\d/.test(section))
  .map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const [, number, item] = /^(\d+)\. (.+)$/.exec(heading) ?? [];
    return { number: Number(number), item, lines };
  });

test("the document has its items, in order", () => {
  expect(sections.map(({ number }) => number)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
});

test.each(sections)("$number, $item: it says what it protects, and how, in short paragraphs", ({ lines }) => {
  const [what, ...how] = lines.filter((line) => line !== "" && !line.startsWith("- "));
  expect(what).toMatch(/^\*\*Protects:\*\* .+\.$/);
  expect(how).not.toEqual([]);
  for (const paragraph of how) expect(paragraph).toMatch(/^.{1,800}\.$/);
});

test.each(sections)("$number, $item: the files it names are there", ({ lines }) => {
  const [code, ...more] = lines.filter((line) => line.startsWith("- Code: "));
  expect(more).toEqual([]);
  const paths = [...(code ?? "").matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
  expect(paths).not.toEqual([]);
  for (const path of paths) expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
});

test.each(sections)("$number, $item: the tests it names are in their files", ({ lines }) => {
  const claims = lines.filter((line) => line.startsWith("- ") && !line.startsWith("- Code: "));
  expect(claims).not.toEqual([]);
  for (const claim of claims) {
    const [, path = "", names = ""] =
      /^- Test: `([^`]+\.test\.ts)`: ("[^"]+"(?:, "[^"]+")*)$/.exec(claim) ??
      expect.fail(`not of the form: ${claim}`);
    // Titles, and rows of tables.
    const titles = read(path)
      .match(/^\s*(?:(?:test|describe)\b|[\]["`]).*$/gm)
      ?.join("\n");
    for (const [, name] of names.matchAll(/"([^"]+)"/g)) expect(titles, path).toContain(name);
  }
});

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}
