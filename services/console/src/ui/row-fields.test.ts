import { html } from "@holdfast/html";
import { expect, test } from "vitest";
import { rowFields, sentRows } from "./row-fields.ts";
import { TEXTS } from "./texts.ts";

const ROWS = { names: ["rate", "type"], place: "place" } as const;

function sent(...rows: [rate: string, type: string, place: string][]) {
  const form = new URLSearchParams();
  for (const [rate, type, place] of rows) {
    form.append("rate", rate);
    form.append("type", type);
    form.append("place", place);
  }
  return sentRows(form, ROWS)?.map(({ rate }) => rate);
}

test("rows stay in their order, and the empty one behind them is none", () => {
  expect(sent(["a", "", "1"], ["b", "", "2"], ["", "", "3"])).toEqual(["a", "b"]);
});

test("a row that moves up goes before the one whose place it takes, and one that moves down behind it", () => {
  expect(sent(["a", "", "1"], ["b", "", "2"], ["c", "", "1"])).toEqual(["c", "a", "b"]);
  expect(sent(["a", "", "2"], ["b", "", "2"], ["c", "", "3"])).toEqual(["b", "a", "c"]);
  expect(sent(["a", "", "3"], ["b", "", "2"], ["c", "", "3"])).toEqual(["b", "c", "a"]);
});

test("a row is taken out, and a place that is no number is its own", () => {
  expect(sent(["a", "", ""], ["b", "", "x"], ["c", "", "1"])).toEqual(["c", "b"]);
});

test("another form has no rows, and one whose rows are all taken out has none left", () => {
  expect(sentRows(new URLSearchParams({ name: "a" }), ROWS)).toBeUndefined();
  expect(sent(["a", "", ""])).toEqual([]);
});

test.each([
  ["offers every place", false, 4 * 4 + 3],
  ["without an order offers its own place", true, 4 + 3],
])("a row %s, and each but the new one its removal", (_, isUnordered, options) => {
  const reader = { language: "en", locale: "en-GB", texts: TEXTS.en } as const;
  const rows = ["a", "b", "c"].map((rate) => ({ rate, type: "" }));
  const shown = rowFields(reader, rows, { ...ROWS, isUnordered }, String, () => html``);
  expect(shown.text.match(/<option /g)).toHaveLength(options);
  expect(shown.text.match(/<option value=""/g)).toHaveLength(3);
});
