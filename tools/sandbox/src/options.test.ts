import { expect, test } from "vitest";
import { parseCommandLine } from "./options.ts";

test("without flags the home is .holdfast and the ports begin at 8080", () => {
  expect(parseCommandLine([])).toEqual({ kind: "run", home: ".holdfast", portBase: 8080 });
});

test.each([
  ["--port-base", "x"],
  ["--port-base", "65533"],
  ["--port-base=-1"],
  ["--home="],
  ["--hmoe", "x"],
  ["extra"],
])("%s %s is refused", (...args) => {
  expect(() => parseCommandLine(args.filter((arg) => arg !== undefined))).toThrow(
    expect.objectContaining({ code: "usage" }),
  );
});

test("help wins", () => {
  expect(parseCommandLine(["--port-base", "0", "--help"])).toEqual({ kind: "help" });
});
