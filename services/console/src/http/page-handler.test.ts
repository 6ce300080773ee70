import type { Request } from "express";
import { expect, test } from "vitest";
import { renderPage } from "../ui/layout.ts";
import { TEXTS } from "../ui/texts.ts";
import { html } from "@holdfast/html";
import { frameOf } from "./page-handler.ts";

const reader = { language: "en", locale: "en-GB", texts: TEXTS.en } as const;

function pageAt(originalUrl: string, method = "GET"): string {
  const [path] = originalUrl.split("?", 1);
  const frame = frameOf({ originalUrl, path, method, headers: {} } as Request, reader, undefined);
  return renderPage(frame, { title: "Any", content: html`` });
}

test.each([
  ["/payments?status=FAILED&from=2026-01-01", "/payments?status=FAILED&amp;from=2026-01-01&amp;lang=tr"],
  ["/search?q=order+1&lang=en", "/search?q=order+1&amp;lang=tr"],
  // The notice of a finished action is shown once.
  ["/refunds?done=approve", "/refunds?lang=tr"],
  // A form is given back once.
  ["/merchants?kept=f1&livemode=false", "/merchants?livemode=false&amp;lang=tr"],
  ["/", "/?lang=tr"],
])("at %s a switch of languages leads to %s", (address, href) => {
  expect(pageAt(address)).toContain(`href="${href}"`);
});

test("a form's page in the other language is the page that the form was on", () => {
  expect(pageAt("/merchants/1/add-key?livemode=false", "POST")).toContain(
    'href="/merchants/1?livemode=false&amp;lang=tr"',
  );
});

test("an order number of digits stays in the search field, and a card number stands nowhere", () => {
  const searched = (q: string) => frameOf(requestOf(`/search?q=${encodeURIComponent(q)}`), reader, undefined);
  expect(searched("20261124000123").searchText).toBe("20261124000123");
  expect(searched("4111 1111 1111 1111").searchText).toBeUndefined();
  expect(pageAt("/search?q=4111111111111111")).not.toContain("4111");
});

function requestOf(originalUrl: string): Request {
  return { originalUrl, path: originalUrl.split("?", 1)[0], method: "GET", headers: {} } as Request;
}
