// The printed statements in a real browser: by the policy that they come with, and by every rule that axe knows.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  createStatementPrinter,
  PRINTED_HEADERS,
} from "../../services/api-gateway/src/lists/print-statements.ts";
import { inspect } from "./browser-harness.ts";
import { launchChromium } from "./launch-chromium.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const statement = (day: number) => ({
  merchantId: "0199aaaa-0000-7000-8000-000000000001",
  merchantName: "Book Shop",
  day: `2026-03-${String(day).padStart(2, "0")}`,
  currency: day % 2 === 0 ? "TRY" : "EUR",
  salesAmount: 123_456.78,
  refundsAmount: 100,
  chargebacksAmount: 20,
  adjustmentsAmount: 0,
  commission: 2_469.13,
  bankFeesAmount: 1_234.56,
  netPayableAmount: 120_867.65,
  lines: 3,
  unpricedLines: day === 5 ? 1 : 0,
  complete: day !== 5,
});

test.each([
  ["screen", 1280, "en", undefined],
  ["screen", 640, "tr", "Kapadokya Tekstil Sanayi ve Ticaret Anonim Şirketi"],
  ["print", 1024, "en", undefined],
  ["print", 1024, "tr", "Kapadokya Tekstil Sanayi ve Ticaret Anonim Şirketi"],
] as const)("on %s, %i wide, in %s, the page is right", async (media, width, language, name) => {
  const printer = createStatementPrinter({
    from: "2026-03-01",
    to: "2026-03-31",
    issuer: "Paycorp Ödeme Hizmetleri A.Ş.",
    locale: { language, locale: language },
    now: new Date("2026-04-01T06:30:00Z"),
    ...(name !== undefined && { merchant: { merchantId: statement(1).merchantId, name } }),
  });
  const items = Array.from({ length: 31 }, (_, index) => statement(index + 1));
  const body = printer.head + printer.page(items) + printer.end();
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  const url = "https://operator.example.test/operator/statements";
  await page.route(url, (route) => route.fulfill({ headers: PRINTED_HEADERS, body }));
  await page.goto(url);
  await page.emulateMedia({ media });
  expect(await page.locator("tbody tr").count()).toBe(31);
  // The style is the one that the policy names.
  expect(await page.evaluate("getComputedStyle(document.querySelector('td.amount')).textAlign")).toBe(
    "right",
  );
  await inspect(page, `statements-${media}-${width}-${language}`);
  expect(complaints).toEqual([]);
});
