import { expect, test } from "vitest";
import { renderMarkdown, slugOf } from "./render-markdown.ts";

test("text is text, in prose, in code and in tables", () => {
  const shown = renderMarkdown(
    "5 < 6 & `<b>`\n\n```sh\necho '<script>'\n```\n\n| a |\n| - |\n| `<i>` |\n",
  ).text;
  expect(shown).toContain("5 &lt; 6 &amp; <code>&lt;b&gt;</code>");
  expect(shown).toContain("echo &#39;&lt;script&gt;&#39;");
  expect(shown).toContain("<code>&lt;i&gt;</code></td>");
});

test.each([
  ["<script>alert(1)</script>", "contains HTML"],
  ["a <b>word</b>", "contains HTML"],
  ["<!-- a comment --> <img src=x>", "contains HTML"],
  ["<!-- one --><b><!-- two -->", "contains HTML"],
  ["![a picture](x.png)", "contains a picture"],
  ["[a](javascript:alert)", "not served"],
  ["[a](http://shop.example)", "not served"],
  ["[a](../settings.md)", "not served"],
])("%s is refused", (markdown, message) => {
  expect(() => renderMarkdown(markdown)).toThrow(message);
});

test("a comment is dropped, and a link between guides loses its ending", () => {
  const shown = renderMarkdown(
    "<!-- not shown -->\n\n[a](test-cards.md#a-decline), [b](#here), [c](https://a.example)",
  ).text;
  expect(shown).not.toContain("not shown");
  expect([...shown.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    "test-cards#a-decline",
    "#here",
    "https://a.example",
  ]);
});

test("a heading has the id that git hosts give it", () => {
  expect(slugOf("Captures, and `cancels`: 3-D Secure?")).toBe("captures-and-cancels-3-d-secure");
  expect(renderMarkdown("## When it goes wrong").text).toBe(
    '<h2 id="when-it-goes-wrong">When it goes wrong</h2>\n',
  );
});
