import { expect, test } from "vitest";
import { foldedDetail } from "./folded-detail.ts";

test("a long list is folded behind its first entry, and is whole inside", () => {
  const detail = 'generic: no column "a", no column "b", no column "<c>", no column "d"';
  const { text } = foldedDetail(detail)!;
  expect(text).toContain("<summary>generic: no column &quot;a&quot;, … +3</summary>");
  expect(text).toContain("no column &quot;&lt;c&gt;&quot;, no column &quot;d&quot;");
});

test("a short reason is shown as it is", () => {
  expect(foldedDetail("by import 1, line 2")!.text).toBe("by import 1, line 2");
  expect(foldedDetail(undefined)).toBeUndefined();
});
