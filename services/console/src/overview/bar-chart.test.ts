import { expect, test } from "vitest";
import { barChart, type Bar } from "./bar-chart.ts";

const words = { empty: "Nothing yet.", tableName: "Figures", heading: "Number" };
const chart = (bars: readonly Bar[], more: { full?: number } = {}) =>
  barChart("Queue", bars, { ...words, ...more }).text;
const bar = (label: string, value: number) => ({ label, value, text: `${value} pieces` });
const lengthsOf = (text: string) =>
  [...text.matchAll(/class="bar" width="([\d.]+)"/g)].map(([, width]) => Number(width));

test("the longest bar is whole, and the others are in proportion", () => {
  expect(lengthsOf(chart([bar("young", 4), bar("old", 1), bar("none", 0)]))).toEqual([100, 25, 0]);
});

test("a rate is measured against all of it", () => {
  expect(lengthsOf(chart([bar("one", 0.5), bar("other", 0)], { full: 1 }))).toEqual([50, 0]);
});

test("each figure is read out and stands in the table behind the chart, as text", () => {
  const text = chart([bar(`<b>"x"`, 3)]);
  expect(text).toContain(`aria-label="Queue: &lt;b&gt;&quot;x&quot;: 3 pieces"`);
  expect(text).toContain("<td>&lt;b&gt;&quot;x&quot;</td>");
  expect(text).not.toContain("<b>");
});

test("where there is nothing to show, there are words and no chart", () => {
  for (const bars of [[], [bar("young", 0)]]) {
    expect(chart(bars)).toContain("Nothing yet.");
    expect(chart(bars)).not.toContain("<svg");
  }
});
