// The guides of the merchant API in a real browser: readable on a phone, with dark colours and on paper, and
// by every rule of axe.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  DESK,
  inspect,
  inspectOnEveryScreen,
  SMALL,
  startBrowserHarness,
  type BrowserHarness,
} from "./browser-harness.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

test("on a phone and at a desk, in the light and in the dark, every guide is right", async () => {
  const page = await product.visitGuides(DESK);
  const links = page.locator("nav a");
  const names = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")!));
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) {
    await page.goto(new URL(name, `${product.file.gatewayUrl}/docs/`).href);
    await inspectOnEveryScreen(page, `guide-${name}`);
  }
  // Fourteen pages, each with four pictures and all of axe's rules.
}, 1_200_000);

test("on the narrowest phone a table hides no cell beyond the edge", async () => {
  const page = await product.visitGuides(SMALL);
  await page.goto(`${product.file.gatewayUrl}/docs/errors`);
  const cells = page.locator("td");
  expect(await cells.count()).toBeGreaterThan(100);
  const edges = await cells.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right));
  expect(Math.max(...edges)).toBeLessThanOrEqual(SMALL.viewport!.width);
});

test("beside the navigation a table hides no cell beyond the edge", async () => {
  const page = await product.visitGuides(DESK);
  await page.goto(`${product.file.gatewayUrl}/docs/errors`);
  const hidden = await page
    .locator(".scroll")
    .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  expect(hidden.length).toBeGreaterThan(1);
  expect(Math.max(...hidden)).toBe(0);
});

test("the examples keep the language that was chosen, and are copied with one click", async () => {
  const page = await product.visitGuides(DESK);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${product.file.gatewayUrl}/docs/reference-payments`);
  await page.locator("nav").getByRole("link", { name: "Capture a payment" }).click();
  const capture = page.locator('section[aria-labelledby="capture"]');
  expect(await capture.getByText("curl -sS").isVisible()).toBe(true);
  await page.getByRole("radio", { name: "PHP" }).check();
  expect(await capture.getByText("curl -sS").isVisible()).toBe(false);
  await capture.getByRole("button", { name: "Copy" }).first().click();
  await capture.getByRole("button", { name: "Copied" }).waitFor();
  const copied = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(copied).toContain(`putenv('GATEWAY=${product.file.gatewayUrl}');`);
  expect(copied).toContain("callHoldfast('/api/payment/' . getenv('PAYMENT_ID') . '/capture'");
  await page.goto(`${product.file.gatewayUrl}/docs/reference-refunds`);
  expect(await page.getByRole("radio", { name: "PHP" }).isChecked()).toBe(true);
});

test("on paper there is the text and no navigation", async () => {
  const page = await product.visitGuides(DESK);
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("nav").isVisible()).toBe(false);
  expect(await page.locator("h1").isVisible()).toBe(true);
  // The text takes the room of the missing navigation.
  const { width } = (await page.locator("main").boundingBox())!;
  expect(width).toBeGreaterThan(DESK.viewport!.width / 2);
  await inspect(page, "guide-print");
});
