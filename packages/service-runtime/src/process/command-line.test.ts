import { expect, test } from "vitest";
import { readCommandLine, wholeNumber } from "./command-line.ts";

const DESCRIPTION = { help: "what it does", options: { only: { type: "string", default: "all" } } } as const;

function read(...args: string[]) {
  let printed = "";
  const line = readCommandLine(args, DESCRIPTION, (text) => void (printed += text));
  return { values: line && { ...line.values }, printed };
}

test("options have their defaults", () => {
  expect(read()).toEqual({ values: { only: "all" }, printed: "" });
  expect(read("--only", "x")).toEqual({ values: { only: "x" }, printed: "" });
});

test.each([[["--help"]], [["-h"]], [["--nope", "--help"]]])("%j prints the help alone", (args) => {
  expect(read(...args)).toEqual({ values: undefined, printed: "what it does\n" });
});

test.each([
  [["--nope"], "Unknown option '--nope' (--help lists the options)"],
  [["--only"], "Option '--only <value>' argument missing (--help lists the options)"],
  [["extra"], expect.stringMatching(/^Unexpected argument 'extra'/)],
])("%j is refused in one line", (args, message) => {
  expect(() => read(...args)).toThrow(expect.objectContaining({ code: "usage", message }));
});

test("what is no whole number is refused", () => {
  expect(wholeNumber("rounds", "12")).toBe(12);
  for (const text of ["", "1.5", "-1", "x"])
    expect(() => wholeNumber("rounds", text)).toThrow("--rounds must be a whole number");
});
