import { expect, test } from "vitest";
import { bankProtocols } from "./banks.ts";
import { parseCommandLine } from "./options.ts";
import { placeOfBank } from "./ports.ts";

test("without flags the home is .holdfast and the ports begin at 8080", () => {
  expect(parseCommandLine([])).toEqual({ home: ".holdfast", portBase: 8080, banks: [] });
});

test.each([
  ["iyzico", ["iyzico"]],
  ["iyzico,nestpay", ["nestpay", "iyzico"]],
  ["garanti, nestpay,garanti", ["nestpay", "garanti"]],
])("--banks %s adds each bank once", (list, banks) => {
  expect(parseCommandLine(["--banks", list])).toMatchObject({ banks });
});

test.each(["nestpay,other", "sim", "", "nestpay,"])("--banks '%s' names the protocols there are", (list) => {
  expect(() => parseCommandLine([`--banks=${list}`])).toThrow(
    expect.objectContaining({
      code: "usage",
      message: expect.stringContaining(`--banks knows ${bankProtocols.join(", ")}, and not "`),
    }),
  );
});

test.each([
  ["--port-base", "x"],
  ["--port-base", "65524"],
  ["--port-base=-1"],
  ["--home="],
  ["--hmoe", "x"],
  ["extra"],
])("%s %s is refused", (...args) => {
  expect(() => parseCommandLine(args.filter((arg) => arg !== undefined))).toThrow(
    expect.objectContaining({ code: "usage" }),
  );
});

test("no bank has the port of another program, however many banks there are", () => {
  const others = [0, 1, 2, 3, 10, 11, 12];
  const places = Array.from({ length: 20 }, (_, index) => placeOfBank(index));
  expect(places.slice(0, 7)).toEqual([4, 5, 6, 7, 8, 9, 13]);
  expect(new Set([...places, ...others]).size).toBe(places.length + others.length);
});

test("help wins", () => {
  expect(parseCommandLine(["--port-base", "0", "--help"])).toBeUndefined();
});
