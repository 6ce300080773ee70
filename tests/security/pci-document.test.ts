import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "./source-files.ts";

const lines = readFileSync(join(REPOSITORY, "docs/pci-dss.md"), "utf8").split("\n");
const rows = lines
  .filter((line) => /^\| (?:\d+\.\d|A\d)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  )
  .map(([requirement = "", , who = "", by = "", evidence = "", tests = ""]) => ({
    requirement,
    who,
    by,
    evidence,
    tests,
  }));

/** Requirements that software can meet, or must leave to its operator. */
const COVERED = ["3.", "4.", "6.", "7.", "8.", "10.", "11.6.1", "12.3.3", "12.8.5"];

test("the matrix has the requirements that it is about", () => {
  for (const covered of COVERED)
    expect(
      rows.some(({ requirement }) => requirement.split(", ").some((each) => each.startsWith(covered))),
      covered,
    ).toBe(true);
});

test("the page names the version that it is about", () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
    version: string;
  };
  expect(lines[2]).toMatch(
    new RegExp(`^This page is about Holdfast ${version}, and was last changed on \\d+ \\w+ \\d{4}\\.`),
  );
});

test("every row is a line of its table", () => {
  const broken = lines.filter(
    (line, at) =>
      /^\| (?:\d+\.\d|A\d)/.test(line) && (!lines[at - 1]!.startsWith("|") || line.split("|").length !== 8),
  );
  expect(broken).toEqual([]);
});

test.each(rows)(
  "$requirement: whoever meets it is named, and what Holdfast does is tested by a file that is there",
  ({ who, by, tests }) => {
    expect(["Holdfast", "shared", "operator"]).toContain(who);
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
    for (const file of files) {
      expect(file).toMatch(/\.test\.ts$/);
      expect(existsSync(join(REPOSITORY, file)), file).toBe(true);
    }
    if (who === "operator") return;
    expect(by).not.toBe("");
    expect(files).not.toEqual([]);
  },
);
