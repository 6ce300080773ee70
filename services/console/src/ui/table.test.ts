import { expect, test } from "vitest";
import { details } from "./table.ts";

test("a detail is names beside values, however deep they are, and what somebody wrote in it is text", () => {
  const text = details({
    changes: { rules: { from: null, to: { max: 5 } } },
    currencies: ["TRY"],
    reason: "<b>seen</b>",
  }).text.replaceAll(/<\/?span[^>]*>/g, "");
  expect(text.trim()).toBe(
    "changes.rules.from: – changes.rules.to.max: 5 currencies: [&quot;TRY&quot;] reason: &lt;b&gt;seen&lt;/b&gt;",
  );
});
