// A merchant on one page in a real browser: from nothing to its first live payment, by forms alone.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthorization } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import { DESK, inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi,
  factElement,
  faultsOf,
  onboardMerchant,
  open,
  readerOf,
  signInTo,
  statusOf,
} from "./console-people.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

let product: BrowserHarness;
let receiver: WebhookReceiver;
beforeAll(async () => {
  product = await startBrowserHarness();
  receiver = await startWebhookReceiver(product.file);
});
afterAll(async () => {
  await receiver?.stop();
  await product?.stop();
});

const onboard = (name: string) => onboardMerchant(product, name);

async function read(merchantId: string): Promise<unknown> {
  const path = `/operator/merchants/${merchantId}`;
  return await (await askOperatorApi(product, "vera", { method: "GET", path })).json();
}

async function pay(headers: Record<string, string>, change: object = {}) {
  const body = { ...preAuthorization({ orderId: `order-${randomUUID()}` }), ...change };
  const answer = await fetch(`${product.file.gatewayUrl}/api/payment`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { status: string; paymentId: string };
}

test("a merchant is onboarded to its first live payment by forms alone", async () => {
  receiver.answer(204, "");
  const { page, headers, merchantId } = await onboard(`Lamps ${randomUUID().slice(0, 8)}`);
  // The plan, with a narrow rule that is moved before a wide one.
  await page.getByRole("textbox", { name: "Rate in percent" }).fill("2,5");
  await open(page, "Rules of the plan");
  const rule = (number: number) => page.getByRole("group", { name: `Rule ${number}` });
  await rule(1).getByRole("textbox", { name: "Rate in percent" }).fill("1");
  await page.getByRole("button", { name: "Save plan" }).click();
  expect(await statusOf(page)).toContain("The change is recorded");
  await open(page, "Rules of the plan");
  await rule(2).getByRole("combobox", { name: "Card type" }).selectOption("DEBIT");
  await rule(2).getByRole("textbox", { name: "Rate in percent" }).fill("0,8");
  await page.getByRole("button", { name: "Save plan" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await rule(2).locator(".fault").innerText()).toContain("never applies");
  await rule(2).getByRole("combobox", { name: "Place" }).selectOption("1");
  await page.getByRole("button", { name: "Save plan" }).click();
  expect(await statusOf(page)).toContain("The change is recorded");
  expect(await factElement(page, "Rate in percent").innerText()).toBe("2.50%");

  await open(page, "Change the rules");
  const card = page.getByRole("group", { name: "Payments with one card" });
  await card.getByRole("textbox", { name: "At most" }).fill("x");
  await page.getByRole("button", { name: "Save rules" }).click();
  expect(await card.locator("#cardMax-fault").innerText()).toContain("whole number");
  await card.getByRole("textbox", { name: "At most" }).fill("3");
  await card.getByRole("textbox", { name: "within minutes" }).fill("1,5");
  const largest = page.getByRole("group", { name: "Largest amount of a payment, currency 1" });
  await largest.getByRole("textbox", { name: "Amount" }).fill("5.000,00");
  await largest.getByRole("textbox", { name: "Currency" }).fill("try");
  await page.getByRole("button", { name: "Save rules" }).click();
  expect(await statusOf(page)).toContain("The change is recorded");
  expect(await read(merchantId)).toMatchObject({
    commission: {
      ratePercent: "2.5",
      rules: [
        { cardType: "DEBIT", ratePercent: "0.8" },
        { ratePercent: "1", fixed: "0" },
      ],
    },
    rules: {
      largestAmounts: [{ currency: "TRY", amount: "5000.00" }],
      attemptsPerCard: { max: 3, windowSeconds: 90 },
    },
  });

  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByRole("link", { name: "Go to the merchant" }).click();
  await open(page, "Change or remove");
  await page.getByRole("checkbox", { name: "payment.status_changed" }).uncheck();
  await page.getByRole("button", { name: "Save endpoint" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).not.toBe("");
  expect(await page.getByRole("checkbox", { name: "payment.status_changed" }).isChecked()).toBe(false);
  await page.getByRole("checkbox", { name: "payment.status_changed" }).check();
  await page.getByRole("checkbox", { name: "payment.captured" }).check();
  await page.getByRole("button", { name: "Save endpoint" }).click();
  expect(await statusOf(page)).toContain("The change is recorded");
  expect(await page.getByRole("table", { name: "Endpoints" }).innerText()).toContain("payment.captured");
  await page.getByRole("table", { name: "Webhook endpoints, mode: Live" }).waitFor();
  expect(await page.getByRole("heading", { name: "Webhook" }).count()).toBe(0);
  await page.getByRole("button", { name: "Send test" }).click();
  expect(await statusOf(page)).toContain("has accepted the test webhook");

  const { status, paymentId } = await pay(headers);
  expect(status).toBe("SUCCESS");
  await eventually(() => expect(receiver.received.some(({ body }) => body.includes(paymentId))).toBe(true));
  expect((await pay(headers, { amount: 5_000.01 })).status).toBe("REJECTED");
  await page.reload();
  await inspectOnEveryScreen(page, "merchant");

  await open(page, "Change or remove");
  await page.getByRole("button", { name: "Remove endpoint" }).click();
  expect(await statusOf(page)).toContain("The endpoint is removed");
});

test("an endpoint is switched off and on, and its owner says what becomes of what waits", async () => {
  receiver.answer(204, "");
  const { page, headers } = await onboard(`Moving ${randomUUID().slice(0, 8)}`);
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByRole("link", { name: "Go to the merchant" }).click();
  await open(page, "Switch off");
  await page.getByRole("button", { name: "Switch off, keep what happens" }).click();
  expect(await statusOf(page)).toContain("The endpoint is switched off");
  const { paymentId } = await pay(headers);
  const table = page.getByRole("table", { name: "Webhook endpoints, mode: Live" });
  await eventually(async () => {
    await page.reload();
    expect(await table.innerText()).toContain("Waiting: 1");
  });
  expect(await table.innerText()).toContain("The oldest is kept until");
  await inspectOnEveryScreen(page, "merchant-endpoint-off");
  expect(receiver.received.some(({ body }) => body.includes(paymentId))).toBe(false);
  await page.getByRole("button", { name: "Switch on, send what waits" }).click();
  expect(await statusOf(page)).toContain("What waited for it is sent now");
  await eventually(() => expect(receiver.received.some(({ body }) => body.includes(paymentId))).toBe(true));

  await open(page, "Switch off");
  await page.getByRole("button", { name: "Switch off, skip what happens" }).click();
  expect(await statusOf(page)).toContain("The endpoint is switched off");
  expect(await table.innerText()).toContain("What happens meanwhile is skipped");
  await page.getByRole("button", { name: "Switch on" }).click();
  expect(await statusOf(page)).toContain("The endpoint is on");
});

const LOGO = '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#c2185b"/></svg>';

test("a merchant is renamed, and its branding is looked at before it is saved", async () => {
  const { page, merchantId } = await onboard(`Old ${randomUUID().slice(0, 8)}`);
  await open(page, "Rename");
  const name = `New ${randomUUID().slice(0, 8)}`;
  await page.getByRole("textbox", { name: "New name" }).fill(name);
  await page.getByRole("button", { name: "Rename" }).click();
  expect(await page.title()).toContain(name);

  await open(page, "Change the branding");
  await page.getByRole("textbox", { name: "Shop name" }).fill("Ada's Lamps");
  await page.getByRole("textbox", { name: "Colour" }).fill("#ffcc00");
  // Enter shows the preview, and saves nothing.
  await page.keyboard.press("Enter");
  expect(await alertOf(page)).toContain("The fields below");
  expect(await page.locator("#brandColor-fault").innerText()).toContain("contrast");
  await page.getByRole("textbox", { name: "Colour" }).fill("#7A1F5C");
  await page.getByRole("textbox", { name: "Logo" }).fill(LOGO);
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("img", { name: "Payment page of Ada's Lamps, light and dark" });
  await preview.waitFor();
  expect(await preview.locator('rect[fill="#7a1f5c"]').count()).toBe(1);
  expect(await preview.locator(".brand-logo path").count()).toBe(2);
  expect(await read(merchantId)).not.toHaveProperty("branding");
  await inspectOnEveryScreen(page, "merchant-branding");
  await page.getByRole("button", { name: "Save branding" }).click();
  expect(await statusOf(page)).toContain("The change is recorded");
  expect(await read(merchantId)).toMatchObject({
    branding: { name: "Ada's Lamps", color: "#7a1f5c", logo: LOGO },
  });
  await open(page, "Change the branding");
  for (const field of ["Shop name", "Colour", "Logo"])
    await page.getByRole("textbox", { name: field }).fill("");
  await page.getByRole("button", { name: "Save branding" }).click();
  expect(await read(merchantId)).not.toHaveProperty("branding");
});

test("routes are changed, and those that somebody has proposed are confirmed without a script", async () => {
  const { page, headers, merchantId } = await onboard(`Routed ${randomUUID().slice(0, 8)}`);
  const listed = await askOperatorApi(product, "vera", {
    method: "GET",
    path: "/operator/acquirer-accounts",
  });
  const { items } = (await listed.json()) as {
    items: { accountId: string; name: string; livemode: boolean; currencies: string[] }[];
  };
  const { accountId, name } = items.find(
    ({ livemode, currencies }) => livemode && currencies.includes("TRY"),
  )!;
  await open(page, "Change the routes");
  const route = (number: number) => page.getByRole("group", { name: `Route ${number}` });
  await route(1).getByRole("combobox", { name: "Account" }).selectOption({ label: name });
  await route(1).getByRole("textbox", { name: "Currency" }).fill("XXX");
  await page.getByRole("button", { name: "Save routes" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await route(1).locator(".fault").count()).toBe(1);
  await route(1).getByRole("textbox", { name: "Currency" }).fill("try");
  await page.getByRole("button", { name: "Save routes" }).dblclick();
  expect(await statusOf(page)).toContain("The routes are in use");
  expect(await page.getByRole("table", { name: "Routes" }).innerText()).toContain(name);
  const { paymentId } = await pay(headers);
  const accountOf = "select account_id from payments.payment where payment_id = $1";
  expect(await product.query(accountOf, [paymentId])).toEqual([{ account_id: accountId }]);

  // The sandbox demands no second person, so that the proposal is made beside it.
  await product.query(
    `insert into payments.merchant_route (merchant_id, version, proposed_by, routes)
     select merchant_id, max(version) + 1, proposed_by, '[]' from payments.merchant_route
     where merchant_id = $1 group by merchant_id, proposed_by`,
    [merchantId],
  );
  await page.reload();
  expect(await page.getByText("has proposed other routes").count()).toBe(1);
  await open(page, "Change the routes");
  await inspectOnEveryScreen(page, "merchant-routes");
  const reader = { ...readerOf(DESK), javaScriptEnabled: false };
  const other = await signInTo(product, "bora", `/merchants/${merchantId}`, reader);
  await other.getByRole("button", { name: "Confirm routes" }).click();
  expect(await other.getByRole("heading", { level: 1 }).innerText()).toContain("by the proposed routes?");
  await other.getByRole("button", { name: "Yes, do it" }).click();
  expect(await statusOf(other)).toContain("in use");
  expect(await other.getByText("No route: every payment goes to the default account").count()).toBe(1);
});
