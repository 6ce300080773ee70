// Filters by time in a real browser: they mean the zone in which the list shows its times, and say which that is.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DESK, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { readerOf, sell, signInTo } from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product?.stop());

const inZone = (timezoneId: string) => ({ ...readerOf(DESK), timezoneId });

/** A payment that was made at this moment. */
async function paidAt(moment: string) {
  const sale = await sell(product);
  await product.query("update payments.payment set created_at = $2 where payment_id = $1", [
    sale.paymentId,
    moment,
  ]);
  return sale;
}

async function filterBy(page: Page, from: string, to: string): Promise<void> {
  const before = page.url();
  await page.getByLabel(/^From/).fill(from);
  await page.getByLabel(/^To, not included/).fill(to);
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL(({ href }) => href !== before);
}

const asked = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const isListed = async (page: Page, orderId: string) =>
  (await page.getByRole("link", { name: orderId }).count()) > 0;

test.each(["vera", "mina"])("a payment after midnight is of the reader's day (%s)", async (name) => {
  const { orderId } = await paidAt("2025-06-30T22:30:00Z");
  const page = await signInTo(product, name, "/payments", inZone("Europe/Istanbul"));
  expect(await page.getByText("From (Europe/Istanbul)").count()).toBe(1);
  await filterBy(page, "2025-07-01T00:00", "2025-07-02T00:00");
  expect(await isListed(page, orderId)).toBe(true);
  const row = page.getByRole("row").filter({ hasText: orderId });
  expect(await row.innerText()).toMatch(/1 Jul 2025, 01:30:00/);
  // The address means the same to a reader in another zone, and so does the file.
  expect([asked(page, "from"), asked(page, "to")]).toEqual([
    "2025-06-30T21:00:00.000Z",
    "2025-07-01T21:00:00.000Z",
  ]);
  expect(await page.getByLabel(/^From/).inputValue()).toMatch(/^2025-07-01T00:00/);
  await filterBy(page, "2025-06-30T00:00", "2025-07-01T00:00");
  expect(await isListed(page, orderId)).toBe(false);
});

test("a day on which clocks go back has both of its hours of one name", async () => {
  const [summer, winter] = [await paidAt("2025-10-26T00:30:00Z"), await paidAt("2025-10-26T01:30:00Z")];
  const page = await signInTo(product, "vera", "/payments", inZone("Europe/Berlin"));
  await filterBy(page, "2025-10-26T00:00", "2025-10-27T00:00");
  expect(Date.parse(asked(page, "to")!) - Date.parse(asked(page, "from")!)).toBe(25 * 3_600_000);
  expect(await isListed(page, summer.orderId)).toBe(true);
  expect(await isListed(page, winter.orderId)).toBe(true);
  // A whole month is an hour longer, and is still answered.
  await page.getByLabel("Status").selectOption("SUCCESS");
  await filterBy(page, "2025-10-01T00:00", "2025-11-01T00:00");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await isListed(page, winter.orderId)).toBe(true);
  // The second half past two of that night stays unchanged when another field is changed.
  const from = "2025-10-26T01:30:00.000Z";
  await page.goto(`${product.file.consoleUrl}/payments?from=${from}&to=2025-10-27T00:00:00Z`);
  expect(await page.getByLabel(/^From/).inputValue()).toMatch(/^2025-10-26T02:30/);
  await page.getByLabel("Status").selectOption("SUCCESS");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL(/status=SUCCESS/);
  expect(asked(page, "from")).toBe(from);
  expect(await isListed(page, summer.orderId)).toBe(false);
  expect(await isListed(page, winter.orderId)).toBe(true);
});

test("without a script, the list and its filters are both in UTC", async () => {
  const { orderId } = await paidAt("2025-08-31T22:30:00Z");
  const reader = { ...inZone("Europe/Istanbul"), javaScriptEnabled: false };
  const page = await signInTo(product, "vera", "/payments", reader);
  expect(await page.getByText("From (UTC)").count()).toBe(1);
  await filterBy(page, "2025-08-31T00:00", "2025-09-01T00:00");
  const row = page.getByRole("row").filter({ hasText: orderId });
  expect(await row.innerText()).toMatch(/31 Aug 2025, 22:30:00 UTC/);
});

test.each(["/refunds", "/audit"])("%s has its filters in the reader's zone, too", async (path) => {
  const page = await signInTo(product, "vera", path, inZone("Asia/Kathmandu"));
  expect(await page.getByText(/^From \(Asia\/Kat(h|)mandu\)$/).count()).toBe(1);
  await filterBy(page, "2025-07-01T00:00", "2025-07-02T00:00");
  expect(asked(page, "from")).toBe("2025-06-30T18:15:00.000Z");
  expect(await page.getByLabel(/^From/).inputValue()).toMatch(/^2025-07-01T00:00/);
});
