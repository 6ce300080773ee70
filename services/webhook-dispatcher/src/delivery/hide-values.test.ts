import { expect, test } from "vitest";
import { hideValues } from "./hide-values.ts";

const HEADERS = { authorization: "Basic c2hvcDpwYXNz", "x-key": 'a"b$&', "x-token": "bearer abc.def" };
const shown = (text: string) => hideValues(Buffer.from(text), HEADERS).toString();

test.each([
  ["no", "no"],
  ["authorization: Basic c2hvcDpwYXNz, gültig?", "authorization: …, gültig?"],
  ["c2hvcDpwYXNz and c2hvcDpwYXNz; abc.def", "… and …; …"],
  [JSON.stringify(HEADERS), '{"authorization":"…","x-key":"…","x-token":"…"}'],
  ["Basic c2hv", "Basic c2hv"],
])("values of added headers are not in %j", (answer, expected) => {
  expect(shown(answer)).toBe(expected);
});

test("nor is the beginning of a value at which a long answer is cut off", () => {
  const cut = "Basic c2hv";
  expect(shown("é".repeat(512 - cut.length / 2) + cut)).toBe(`${"é".repeat(512 - cut.length / 2)}…`);
  expect(shown("é".repeat(512))).toBe("é".repeat(512));
});

test("bytes that are no text stay as they are", () => {
  const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
  expect(hideValues(bytes, HEADERS)).toEqual(bytes);
});
