import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "./source-files.ts";

const document = read("docs/security.md");
const rows = document
  .split("\n")
  .filter((line) => /^\|\s*\d+\s*\|/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .map(([number = "", item = "", what = "", where = "", heldBy = ""]) => ({
    number,
    item,
    what,
    where,
    heldBy,
  }));

test("the table has the thirty items, in order", () => {
  expect(rows.map(({ number }) => Number(number))).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test.each(rows)("$number, $item: the files it names are there", ({ where }) => {
  const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
  expect(paths).not.toEqual([]);
  for (const path of paths) expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
});

test.each(rows)("$number, $item: the tests it names are in their files", ({ what, heldBy }) => {
  if (heldBy === "not built") return expect(what).toContain("not built");
  const claims = heldBy.split("; `").map((claim) => /^`?([^`]+)`((?: "[^"]+")+)$/.exec(claim));
  for (const claim of claims) {
    const [, path = "", names = ""] = claim ?? expect.fail(`not of the form: ${heldBy}`);
    const source = read(path);
    for (const [, name] of names.matchAll(/"([^"]+)"/g)) expect(source, path).toContain(name);
  }
});

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}
