import { expect, test } from "vitest";
import type { Reader } from "./page-context.ts";
import { details, pageLinks } from "./table.ts";
import { TEXTS } from "./texts.ts";

const READER: Reader = { language: "en", locale: "en-GB", texts: TEXTS.en };

test("a detail is names beside values, however deep they are, and what somebody wrote in it is text", () => {
  const text = details(READER, {
    changes: { rules: { from: null, to: { max: 5 } } },
    currencies: ["TRY"],
    routes: [{ accountId: "a-1" }],
    settings: { clientId: "7" },
    reason: "<b>seen</b>",
  }).text.replaceAll(/<\/?span[^>]*>|(?<=\s)\s+/g, "");
  expect(text.trim()).toBe(
    "Changes › Rules › From: – Changes › Rules › To › At most: 5 Currencies: [&quot;TRY&quot;] Routes › 1 › Account: a-1 Settings › clientId: 7 Reason: &lt;b&gt;seen&lt;/b&gt;",
  );
});

/** The links of a page, by their relation. @param cursor of the next page. */
function linksOf(address: string, cursor?: string): { next?: string; prev?: string } {
  const query = new URL(address, "http://console").searchParams;
  const { text } = pageLinks(READER, { path: "/payments" }, query, cursor);
  const found = text.matchAll(/rel="(next|prev)" href="([^"]+)"/g);
  return Object.fromEntries([...found].map(([, rel, href]) => [rel, href!.replaceAll("&amp;", "&")]));
}

test("three pages are walked forward and back, with their filters", () => {
  const second = linksOf("/payments?status=FAILED&done=capture", "c2").next!;
  const third = linksOf(second, "c3").next!;
  expect(new URL(third, "http://console").searchParams.get("cursor")).toBe("c3");
  expect(linksOf(third).prev).toBe(second);
  expect(linksOf(second, "c3").prev).toBe("/payments?status=FAILED");
  expect(linksOf("/payments?status=FAILED", "c2").prev).toBeUndefined();
});

test("a page that was opened by its address leads back to the first one", () => {
  expect(linksOf("/payments?cursor=c9&status=FAILED").prev).toBe("/payments?status=FAILED");
});
