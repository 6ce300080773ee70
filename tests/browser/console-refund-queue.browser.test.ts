// The refund queue in a real browser: the facts for a decision, and many decisions with one confirmation.
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DESK, inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi,
  faultsOf,
  readerOf,
  requestRefund,
  sell,
  signInTo,
  statusOf,
} from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product?.stop());

async function sellAndRefund(amount: number, reason?: string) {
  const sold = await sell(product);
  return { ...sold, refundId: await requestRefund(product, sold.paymentId, { amount, reason }) };
}

const approvalsOf = async (ids: string[]) => {
  const rows = await product.query<{ refund_id: string }>(
    "select refund_id from refunds.refund_approval where refund_id = any($1)",
    [ids],
  );
  return rows.length;
};

const select = async (page: Page, refundIds: string[]) => {
  for (const refundId of refundIds) await page.locator(`input[value="${refundId}"]`).check();
};

test("17 refunds are approved in three clicks, once however often the form is sent", async () => {
  const refunds = [];
  for (let index = 0; index < 17; index++) refunds.push(await sellAndRefund((100 + index) / 100));
  const ids = refunds.map(({ refundId }) => refundId);
  const page = await signInTo(product, "bora", "/refunds");
  await page.getByRole("link", { name: "Select all" }).click();
  expect(await page.getByText(/^\d+ selected: TRY/).count()).toBe(1);
  await page.getByRole("button", { name: "Decide about the selection" }).click();
  await page.getByRole("button", { name: /^Approve \d+ refunds: TRY/ }).dblclick();
  expect(await statusOf(page)).toMatch(/Approvals recorded: \d+/);
  expect(await approvalsOf(ids)).toBe(17);
});

test("a row has what one decides by, and the page its sum", async () => {
  const { orderId, paymentId, refundId } = await sellAndRefund(2.5, "Koli hasarlı geldi");
  await requestRefund(product, paymentId, { amount: 1 });
  await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/payments/${paymentId}/chargebacks`,
    body: { amount: 4, currency: "TRY", reasonCode: "4853" },
  });
  const page = await signInTo(product, "bora", "/refunds");
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="/refunds/${refundId}"]`) });
  expect(await row.innerText()).toMatch(
    /TRY\s2\.50\s+TRY\s12\.50\s+Pending TRY\s1\.00 Disputed TRY\s4\.00\s+Koli hasarlı geldi \(the merchant\)\s+411111 … 1111/,
  );
  // Rows have the same buttons: whoever does not see them gets the order and the amount with each.
  const approve = page.getByRole("button", { name: new RegExp(`^Approve ${orderId}, TRY\\s2\\.50$`) });
  expect(await approve.count()).toBe(1);
  await inspectOnEveryScreen(page, "refund-queue");
  await select(page, [refundId]);
  expect(await page.getByText(/^1 selected: TRY\s2\.50$/).count()).toBe(1);
  await page.getByRole("button", { name: "Decide about the selection" }).click();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(
    /^Decide about 1 refund: TRY\s2\.50$/,
  );
  await inspectOnEveryScreen(page, "refund-review");
  // Enter in the reason rejects.
  await page.locator("summary", { hasText: "Reject" }).click();
  await page.getByRole("textbox", { name: "Reason" }).press("Enter");
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Say why");
  await page.getByRole("textbox", { name: "Reason" }).fill("disputed already");
  await page.keyboard.press("Enter");
  expect(await statusOf(page)).toContain("Refunds rejected: 1");
  await page.getByLabel("Status").selectOption("REJECTED");
  await page.getByLabel(/^From/).fill(`${new Date().toISOString().slice(0, 10)}T00:00`);
  await page.getByLabel(/^To, not included/).fill("2199-01-01T00:00");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("31 days");
  await page.goto(`${product.file.consoleUrl}/refunds?status=REJECTED`);
  expect(await page.getByRole("row").filter({ hasText: orderId }).innerText()).toMatch(/Rejected[^]*bora/);
});

test("what cannot be decided is said, and everything else is decided, without a script too", async () => {
  const [gone, left, third] = [await sellAndRefund(3), await sellAndRefund(4), await sellAndRefund(5)];
  const reader = { ...readerOf(DESK), javaScriptEnabled: false };
  const page = await signInTo(product, "bora", "/refunds", reader);
  await select(page, [gone.refundId, left.refundId]);
  await page.getByRole("button", { name: "Decide about the selection" }).click();
  const rejected = await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/refunds/${gone.refundId}/reject`,
    body: { reason: "not ours" },
  });
  expect(rejected.status).toBe(200);
  await page.getByRole("button", { name: /^Approve 2 refunds/ }).click();
  expect(await alertOf(page)).toMatch(
    new RegExp(`1 of the selected refunds cannot be decided[^]*1 of 2 were decided[^]*${gone.orderId}`),
  );
  expect(await approvalsOf([gone.refundId, left.refundId, third.refundId])).toBe(1);
  // An amount that the person has not seen decides nothing.
  await select(page, [third.refundId]);
  await page.getByRole("button", { name: "Decide about the selection" }).click();
  await page
    .locator('input[name="amount"]')
    .first()
    .evaluate((field) => field.setAttribute("value", "4 TRY"));
  await page.getByRole("button", { name: /^Approve 1 refund:/ }).click();
  expect(await approvalsOf([third.refundId])).toBe(0);
});

test("a text of 10 000 characters as the reason leaves everything as it was", async () => {
  const { refundId } = await sellAndRefund(6);
  const page = await signInTo(product, "bora", "/refunds");
  await select(page, [refundId]);
  await page.getByRole("button", { name: "Decide about the selection" }).click();
  await page.locator("summary", { hasText: "Reject" }).click();
  const reason = page.getByRole("textbox", { name: "Reason" });
  await reason.evaluate((field) => field.removeAttribute("maxlength"));
  await reason.fill(randomUUID().repeat(300));
  await page.getByRole("button", { name: /^Reject 1 refund$/ }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("at most 200 characters");
});

test("an order number is one line in each list, and a long one leaves room for the other columns", async () => {
  const { orderId, paymentId, refundId } = await sellAndRefund(1);
  const page = await signInTo(product, "bora", "/refunds");
  await page.setViewportSize({ width: 800, height: 800 });
  const boxAt = async (path: string, href: string) => {
    await page.goto(product.file.consoleUrl + path);
    return (await page.locator(`main a[href="${href}"]`).first().boundingBox())!;
  };
  for (const [path, href] of [
    ["/refunds", `/refunds/${refundId}`],
    [`/payments?orderId=${orderId}`, `/payments/${paymentId}`],
    [`/search?q=${orderId}`, `/payments/${paymentId}`],
  ] as const)
    expect((await boxAt(path, href)).height, path).toBeLessThan(32);
  const long = await sell(product, `${"x".repeat(50)}-${randomUUID().slice(0, 8)}`);
  const { width } = await boxAt(`/payments?orderId=${long.orderId}`, `/payments/${long.paymentId}`);
  expect(width).toBeLessThanOrEqual(161);
});
