// The payment's page as the case file of one order, in a real browser.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { askOperatorApi, factElement, requestRefund, sell, signInTo, statusOf } from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product?.stop());

const partsOf = async (page: Page) => {
  const parts = await page.locator(".money li").allInnerTexts();
  return parts.map((text) => text.replaceAll(/\s/g, " ").trim());
};

const refundOf = (paymentId: string, amount: number) => requestRefund(product, paymentId, { amount });

test("the four amounts add up, and refund, dispute and the bank's line are reached from the page and lead back", async () => {
  const { paymentId, orderId } = await sell(product);
  const bora = await signInTo(product, "bora", `/payments/${paymentId}`);
  expect(await partsOf(bora)).toEqual([
    "Kept TRY 12.50",
    "Pending TRY 0.00",
    "Refunded TRY 0.00",
    "Disputed TRY 0.00",
  ]);
  const [back, pending] = [await refundOf(paymentId, 2), await refundOf(paymentId, 1.25)];
  await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/refunds/${back}/approve`,
    body: {},
  });
  await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/payments/${paymentId}/chargebacks`,
    body: { amount: 4, currency: "TRY", reasonCode: "4853" },
  });
  await eventually(async () => {
    await bora.reload();
    expect(await partsOf(bora)).toEqual([
      "Kept TRY 5.25",
      "Pending TRY 1.25",
      "Refunded TRY 2.00",
      "Disputed TRY 4.00",
    ]);
  });
  const badges = (await bora.locator(".badges").innerText()).split(/\s{2,}|\n/).join(" ");
  expect(badges).toMatch(/Success.*Refund pending.*Disputed/);
  for (const [name, value] of [
    ["Installments", "1"],
    ["Mode", "Live"],
    ["Buyer's address", "203.0.113.7"],
    ["Order at the bank", paymentId.replaceAll("-", "")],
  ] as const)
    expect(await factElement(bora, name).innerText()).toBe(value);
  expect(
    await bora.getByRole("table", { name: "Our records beside the bank's lines" }).innerText(),
  ).toContain("Not reported yet");
  expect(await bora.getByText("Inquire:").count()).toBe(0);
  await inspectOnEveryScreen(bora, "case-file");

  // The most urgent is the first.
  const steps = bora.locator("p.buttons a");
  expect(await steps.first().innerText()).toMatch(/^Answer the dispute of TRY\s4\.00$/);
  await steps.first().click();
  await bora.getByRole("link", { name: orderId }).first().click();
  await bora.getByRole("link", { name: /^Decide about the refund of TRY\s1\.25$/ }).click();
  expect(new URL(bora.url()).pathname).toBe(`/refunds/${pending}`);
  await bora.getByRole("button", { name: "Approve" }).click();
  expect(await statusOf(bora)).toContain("Your approval is recorded");
  await bora.getByRole("status").getByRole("link", { name: "Refund" }).click();
  await factElement(bora, "Payment").getByRole("link", { name: orderId }).click();
  expect(new URL(bora.url()).pathname).toBe(`/payments/${paymentId}`);
});

test("a stuck payment has its first step open, and the others behind it with what each does", async () => {
  const body = { pan: "4000000000000127" };
  const { paymentId } = await sell(product, undefined, (method, path, given) =>
    product.merchantApi(method, path, { ...(given as object), ...body }),
  );
  const page = await signInTo(product, "alice", `/payments/${paymentId}`);
  expect(await page.getByRole("button", { name: "Inquire" }).isVisible()).toBe(true);
  expect(await page.getByText("Asks the bank what became of the payment").count()).toBe(1);
  expect(await page.getByRole("button", { name: "Reverse" }).isVisible()).toBe(false);
  await page.locator("summary", { hasText: "Other actions: Reverse, Resolve" }).click();
  expect(await page.getByRole("button", { name: "Reverse" }).isVisible()).toBe(true);
  await inspectOnEveryScreen(page, "case-file-stuck");
});
