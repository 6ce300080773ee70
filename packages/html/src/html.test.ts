import { expect, test } from "vitest";
import { html } from "./html.ts";

test("what is put in is text, in elements and in quoted attributes", () => {
  const evil = `"><script>alert('1')</script>&`;
  expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</p>',
  );
});

test("HTML stays HTML, lists are joined, what is absent is nothing", () => {
  const items = ["<", "b"].map((text) => html`<li>${text}</li>`);
  const list = html`<ul>
    ${items}${false}${undefined}${0}
  </ul>`;
  expect(list.text.replaceAll(/\s+/g, "")).toBe("<ul><li>&lt;</li><li>b</li>0</ul>");
});
