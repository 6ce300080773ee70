import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_USERS } from "@holdfast/contracts";
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

/** Those of PCI DSS 4.0.1 in their order, without A2 and A3; `1.2.1-8` are eight. */
const LIST = `
  1.1.1-2 1.2.1-8 1.3.1-3 1.4.1-5 1.5.1 2.1.1-2 2.2.1-7 2.3.1-2 3.1.1-2 3.2.1 3.3.1 3.3.1.1-3 3.3.2-3 3.4.1-2 3.5.1
  3.5.1.1-3 3.6.1 3.6.1.1-4 3.7.1-9 4.1.1-2 4.2.1 4.2.1.1-2 4.2.2 5.1.1-2 5.2.1-3 5.2.3.1 5.3.1-2 5.3.2.1 5.3.3-5 5.4.1
  6.1.1-2 6.2.1-3 6.2.3.1 6.2.4 6.3.1-3 6.4.1-3 6.5.1-6 7.1.1-2 7.2.1-5 7.2.5.1 7.2.6 7.3.1-3 8.1.1-2 8.2.1-8 8.3.1-10
  8.3.10.1 8.3.11 8.4.1-3 8.5.1 8.6.1-3 9.1.1-2 9.2.1 9.2.1.1 9.2.2-4 9.3.1 9.3.1.1 9.3.2-4 9.4.1 9.4.1.1-2 9.4.2-5
  9.4.5.1 9.4.6-7 9.5.1 9.5.1.1-2 9.5.1.2.1 9.5.1.3 10.1.1-2 10.2.1 10.2.1.1-7 10.2.2 10.3.1-4 10.4.1 10.4.1.1 10.4.2
  10.4.2.1 10.4.3 10.5.1 10.6.1-3 10.7.1-3 11.1.1-2 11.2.1-2 11.3.1 11.3.1.1-3 11.3.2 11.3.2.1 11.4.1-7 11.5.1 11.5.1.1
  11.5.2 11.6.1 12.1.1-4 12.2.1 12.3.1-4 12.4.1-2 12.4.2.1 12.5.1-2 12.5.2.1 12.5.3 12.6.1-3 12.6.3.1-2 12.7.1 12.8.1-5
  12.9.1-2 12.10.1-4 12.10.4.1 12.10.5-7 A1.1.1-4 A1.2.1-3`;
const REQUIREMENTS = [...LIST.matchAll(/(\S*\.)(\d+)(?:-(\d+))?/g)].flatMap(([, before, from, to = from]) =>
  Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${before}${Number(from) + index}`),
);

/** @param cell of a row, such as `8.3.1, 8.3.5 to 8.3.9`. */
function requirementsIn(cell: string): string[] {
  if (cell === "1.1 to 11.1 (.1, .2)")
    return REQUIREMENTS.filter((each) => /^(?:\d|1[01])\.1\.\d$/.test(each));
  return cell.split(", ").flatMap((part) => {
    const [first = "", last] = part.split(" to ");
    if (last === undefined) return [first];
    const end = REQUIREMENTS.findLastIndex((each) => each === last || each.startsWith(`${last}.`));
    return REQUIREMENTS.slice(REQUIREMENTS.indexOf(first), end + 1);
  });
}

test("the matrix has each requirement in one row", () => {
  const found = rows.flatMap(({ requirement }) => requirementsIn(requirement));
  expect(found.toSorted()).toEqual([...REQUIREMENTS, "A2", "A3"].toSorted());
});

test("the components in scope are all that sign in to the bus, and the console", () => {
  const [, section = ""] = lines.join("\n").split("\n## Components in scope\n");
  const [table = ""] = section.split("\n## ");
  const cells = table.split("\n").map((line) => line.split("|")[1] ?? "");
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named).toEqual(expect.arrayContaining([...BUS_USERS, "console"]));
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

const parts = new Set(
  readFileSync(join(REPOSITORY, "tools/installation/src/evidence/evidence.ts"), "utf8")
    .split("export type Evidence = {\n")[1]!
    .split("\n};\n")[0]!
    .split("\n")
    .flatMap((line) => /^ {2}(\w+): /.exec(line)?.[1] ?? []),
);

test.each(rows.filter(({ who }) => who !== "operator"))(
  "$requirement ($who) says what shows it, and what is left to whoever runs it",
  ({ who, by, evidence }) => {
    expect(evidence).not.toBe("");
    const named = [...evidence.matchAll(/`([a-z]+)`/gi)].map(([, name]) => name!);
    expect(named.filter((name) => !parts.has(name))).toEqual([]);
    // A duty is told to "you"; a row of Holdfast alone has none.
    expect(/\byou\b/i.test(by), by).toBe(who === "shared");
  },
);

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
