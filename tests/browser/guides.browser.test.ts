// The guides of the merchant API in a real browser: readable on a phone, in the dark and on paper, and by every rule that
// axe knows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DESK, inspect, startBrowserHarness, type BrowserHarness, type Buyer } from "./browser-harness.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

const NARROW: Buyer = {
  name: "narrow",
  viewport: { width: 320, height: 640 },
  isMobile: true,
  hasTouch: true,
};

test.each([
  { ...NARROW, colorScheme: "light" as const },
  { ...DESK, colorScheme: "dark" as const },
])(
  "at the $name, $colorScheme, every guide is right",
  async (reader) => {
    const page = await product.visitGuides(reader);
    const links = page.locator("nav a");
    const names = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")!));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      await page.goto(new URL(name, `${product.file.gatewayUrl}/docs/`).href);
      await inspect(page, `guide-${name}-${reader.name}-${reader.colorScheme}`);
    }
    // Eleven pages, each with a picture and all of axe's rules.
  },
  300_000,
);

test("on paper there is the text and no navigation", async () => {
  const page = await product.visitGuides(DESK);
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("nav").isVisible()).toBe(false);
  expect(await page.locator("h1").isVisible()).toBe(true);
  await inspect(page, "guide-print");
});
