// A merchant's staff at work in the console, in real browsers: mina owns the shop, selim answers its buyers.
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { preAuthorization } from "../e2e/running-sandbox.ts";
import { DESK, inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi,
  cookiesOf,
  EVIL,
  factElement,
  faultsOf,
  postForm,
  readerOf,
  secretOf,
  sell,
  signInTo,
  statusOf,
} from "./console-people.ts";
import { signatureOf, startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

let product: BrowserHarness;
let receiver: WebhookReceiver;
let consoleUrl: string;
let own: string;
beforeAll(async () => {
  product = await startBrowserHarness();
  ({ consoleUrl } = product.file);
  own = `/merchants/${product.file.merchants[0]!.merchantId}`;
  receiver = await startWebhookReceiver(product.file);
});
afterAll(async () => {
  await receiver?.stop();
  await product?.stop();
});

const signIn = (name: string, path?: string, reader?: Parameters<typeof signInTo>[3]) =>
  signInTo(product, name, path, reader);

test("an owner adds an endpoint, looks at what it answers, and has a webhook sent again", async () => {
  receiver.answer(500, EVIL);
  const page = await signIn("mina", own);
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  expect(await statusOf(page)).toContain("put it where your server reads its secrets");
  const secret = await secretOf(page);
  const { paymentId } = await sell(product);
  const arrived = () => receiver.received.filter(({ body }) => body.includes(paymentId));
  await eventually(() => expect(arrived().length).toBeGreaterThan(0));
  const webhook = arrived()[0]!;
  expect(webhook.signature).toBe(signatureOf(webhook, secret));

  await page.goto(`${consoleUrl}/deliveries`);
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Endpoints of the merchant" }).innerText()).toContain(
      "Fails",
    );
  });
  await page.locator(`a[href="/deliveries/${webhook.eventId}"]`).click();
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("table", { name: "Attempts" }).innerText()).toContain(EVIL);
  });
  expect(await page.locator("main img, main script").count()).toBe(0);
  await page.getByRole("textbox", { name: "Body as the receiver has it" }).fill(webhook.body);
  await page.getByRole("button", { name: "Compare" }).click();
  expect(await statusOf(page)).toContain("It is the body that was sent.");
  receiver.answer(204, "");
  const before = arrived().length;
  await page.getByRole("button", { name: "Redeliver", exact: true }).first().click();
  expect(await statusOf(page)).toContain("queued");
  await eventually(() => expect(arrived().length).toBeGreaterThan(before));

  await page.goto(`${consoleUrl}/deliveries`);
  await page.getByLabel(/^Since/).fill("2026-01-01T00:00");
  await page.getByRole("button", { name: "Redeliver all that failed" }).click();
  expect(await statusOf(page)).toMatch(/nothing to send again|queued to be sent again/);
});

test("a double click on rotate is one rotation, whose secret signs the test webhook", async () => {
  const page = await signIn("mina", own);
  await page.getByRole("button", { name: "Rotate secret" }).first().dblclick();
  await page.getByRole("status").waitFor();
  const secret = await secretOf(page);
  await inspectOnEveryScreen(page, "staff-secret");
  await page.getByRole("link", { name: "Keys and webhooks" }).last().click();
  await page.getByRole("button", { name: "Send test" }).first().click();
  expect(await statusOf(page)).toContain("has accepted the test webhook");
  const webhook = receiver.received.at(-1)!;
  expect(webhook.next).toBe(signatureOf(webhook, secret));
  await page.getByRole("button", { name: "Activate new secret" }).first().click();
  expect(await statusOf(page)).toContain("new secret signs");
});

test("an API key is made, shown once, works, and is revoked", async () => {
  const page = await signIn("mina", own);
  await page.getByRole("button", { name: "New key" }).click();
  const headers = { "X-API-KEY": await secretOf(page, "Key"), "X-API-SECRET": await secretOf(page) };
  const listed = () => fetch(`${product.file.gatewayUrl}/api/payments`, { headers });
  expect((await listed()).status).toBe(200);
  await page.goto(consoleUrl + own);
  expect(await page.content()).not.toContain(headers["X-API-SECRET"]);
  const row = page.getByRole("row").filter({ hasText: headers["X-API-KEY"] });
  await row.getByRole("button", { name: "Revoke" }).click();
  expect(await statusOf(page)).toContain("The key is revoked");
  await eventually(async () => expect((await listed()).status).toBe(401));
});

async function makeLink(page: Page, order: string, description = "Piano lesson") {
  await page.goto(`${consoleUrl}/payment-links`);
  await page.getByRole("textbox", { name: "Order number" }).fill(order);
  await page.getByRole("textbox", { name: "What is paid for" }).fill(description);
  await page.getByRole("textbox", { name: "Amount" }).fill("12.50");
  await page.getByRole("button", { name: "Create link" }).click();
  expect(await statusOf(page)).toContain("The link was created");
}

test("a payment link is made with what was entered, is paid by its address, has a QR code, and ends", async () => {
  const order = `lesson-${randomUUID().slice(0, 8)}`;
  const page = await signIn("mina", "/payment-links");
  await page.getByRole("textbox", { name: "What is paid for" }).fill(EVIL.slice(0, 80));
  await page.getByRole("button", { name: "Create link" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Write an order number");
  expect(await page.getByRole("textbox", { name: "What is paid for" }).inputValue()).toBe(EVIL.slice(0, 80));
  await makeLink(page, order, EVIL.slice(0, 80));
  const address = await factElement(page, "Address").locator("code").innerText();
  await page.getByRole("img", { name: "QR code of the address" }).waitFor();
  await eventually(async () =>
    expect(await page.evaluate("document.querySelector('img.code').naturalWidth > 0")).toBe(true),
  );
  expect((await fetch(address)).status).toBe(200);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download QR code" }).click(),
  ]);
  expect(saved.suggestedFilename()).toMatch(/^payment-link-.+\.svg$/);
  expect(await page.locator("main script").count()).toBe(0);
  await page.goto(`${consoleUrl}/payment-links`);
  const row = page.getByRole("row").filter({ hasText: order });
  expect(await row.getByText(EVIL.slice(0, 80)).count()).toBe(1);
  await row.getByRole("link", { name: order }).click();
  await page.getByRole("button", { name: "Disable link" }).click();
  expect(await statusOf(page)).toContain("The link is disabled");
  expect(await page.getByRole("button", { name: "Disable link" }).count()).toBe(0);
  const rows = await fetch(`${consoleUrl}/payment-links.csv`, { headers: { Cookie: await cookiesOf(page) } });
  expect(await rows.text()).toContain(order);
});

test("what a bank's file settles is in the merchant's statements: on the page, in a file and in print", async () => {
  await sell(product);
  const form = new FormData();
  form.set(
    "file",
    new Blob([await (await fetch(`${product.file.acquirerUrl}/settlement`)).text()]),
    "bank.csv",
  );
  const path = `/operator/settlements?accountId=${product.file.accountId}&mapping=generic`;
  expect((await askOperatorApi(product, "alice", { method: "POST", path, body: form })).status).toBe(202);
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const days = `from=${dayIn(-10)}&to=${dayIn(10)}`;
  const page = await signIn("selim", `/settlement?${days}`);
  await eventually(async () => {
    await page.reload();
    expect(await page.locator("main").innerText()).toContain("TRY");
  });
  expect(await page.getByRole("columnheader", { name: "Merchant" }).count()).toBe(0);
  const link = await page.getByRole("link", { name: "Download statements" }).getAttribute("href");
  const rows = await fetch(consoleUrl + link, { headers: { Cookie: await cookiesOf(page) } });
  expect(await rows.text()).toContain("netPayableAmount");
  await page.getByRole("link", { name: "Print statements" }).click();
  await page.locator("td.amount").first().waitFor();
  // The style is the one that the policy names.
  expect(await page.evaluate("getComputedStyle(document.querySelector('td.amount')).textAlign")).toBe(
    "right",
  );
  await page.goto(`${consoleUrl}/settlement?from=2020-03-01&to=2020-03-31`);
  expect(await page.getByText("No statement of these days").count()).toBe(1);
  await page.goto(`${consoleUrl}/settlement?from=2026-01-01&to=2026-03-31`);
  expect(await page.getByRole("alert").count()).toBe(1);
});

test("staff capture, cancel and request refunds, of which operators decide", async () => {
  const { paymentId, orderId } = await sell(product);
  const mina = await signIn("mina", `/payments/${paymentId}`);
  await mina.getByRole("textbox", { name: "Amount" }).fill("2.50");
  await mina.getByRole("textbox", { name: "Reason" }).fill("broken in transit");
  await mina.getByRole("button", { name: "Refund", exact: true }).dblclick();
  await mina.getByRole("status").waitFor();
  const alice = await signIn("alice", "/refunds");
  const row = alice.getByRole("row").filter({ hasText: orderId });
  expect(await row.count()).toBe(1);
  expect(await row.innerText()).toContain("mina");
  await row.getByRole("button", { name: "Approve" }).click();
  await alice.getByRole("status").waitFor();
  await eventually(async () => {
    await mina.reload();
    expect(await mina.getByRole("table", { name: "Timeline" }).innerText()).toMatch(/Refund ended.*Success/);
  });
  expect(await mina.getByRole("table", { name: "Timeline" }).innerText()).not.toContain("alice");
});

test("a part is captured once its amount was looked at, and once however often it is sent", async () => {
  const body = preAuthorization({ orderId: `order-${randomUUID().slice(0, 8)}` });
  const { paymentId } = await product.merchantApi("POST", "/api/pre-authorization", body);
  const mina = await signIn("mina", `/payments/${paymentId}`);
  const amount = mina.getByRole("textbox", { name: "Amount" }).first();
  await amount.fill("8,005");
  await mina.getByRole("button", { name: "Capture …" }).click();
  expect(await alertOf(mina)).toContain("The fields below");
  expect(await faultsOf(mina)).toContain("8");
  expect(await amount.inputValue()).toBe("8,005");
  await amount.fill("8,00");
  // Enter asks, and charges nothing.
  await mina.keyboard.press("Enter");
  await mina.getByRole("heading", { level: 1, name: /^Capture TRY\s8\.00 of TRY\s12\.50\?$/ }).waitFor();
  await inspectOnEveryScreen(mina, "capture-review");
  await mina.getByRole("button", { name: "Capture", exact: true }).dblclick();
  expect(await statusOf(mina)).toContain("The payment was captured");
  expect(await factElement(mina, "Captured").innerText()).toMatch(/^TRY\s8\.00$/);
  const captures = "select 1 from payments.bank_call where payment_id = $1 and kind = 'capture'";
  expect(await product.query(captures, [paymentId])).toHaveLength(1);
});

test("the overview has what is owed, and the disputes, which lead to their payments", async () => {
  const { paymentId, orderId } = await sell(product);
  await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/payments/${paymentId}/chargebacks`,
    body: { amount: 4, currency: "TRY", reasonCode: "4853" },
  });
  const selim = await signIn("selim");
  expect(await selim.getByRole("table", { name: "Waiting" }).innerText()).toMatch(/Open disputes\s+[1-9]/);
  expect(await selim.getByText("What you are owed, by day of settlement").count()).toBe(1);
  await inspectOnEveryScreen(selim, "staff-overview");
  await selim.getByRole("link", { name: "Open disputes" }).click();
  const disputes = selim.getByRole("table", { name: "Open disputes" });
  expect(await disputes.innerText()).not.toContain("alice");
  await inspectOnEveryScreen(selim, "staff-disputes");
  await disputes.getByRole("link", { name: orderId }).click();
  expect(new URL(selim.url()).pathname).toBe(`/payments/${paymentId}`);
  expect(await selim.locator('main a[href^="/disputes/"]').count()).toBe(0);
});

test("a link is made without a script, and disabled with the keyboard alone", async () => {
  const plain = await signIn("mina", "/payment-links", { ...readerOf(DESK), javaScriptEnabled: false });
  await makeLink(plain, `plain-${randomUUID().slice(0, 8)}`);
  const page = await signIn("mina", new URL(plain.url()).pathname);
  await page.getByRole("button", { name: "Disable link" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").waitFor();
  await plain.reload();
  expect(await factElement(plain, "Status").innerText()).toBe("Disabled");
});

test("a form that arrives twice makes one link and one key", async () => {
  const page = await signIn("mina", "/payment-links");
  const order = `twice-${randomUUID().slice(0, 8)}`;
  const link = { orderId: order, description: "Twice", amount: "3", currency: "TRY", use: "SINGLE" };
  const form = { ...link, expiresInSeconds: "86400", key: randomUUID() };
  const answers = await Promise.all([1, 2].map(() => postForm(page, "/payment-links/create", form)));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect(answers[0]!.headers.get("location")).toBe(answers[1]!.headers.get("location"));
  const key = { keyMode: "true", key: randomUUID() };
  const pages = await Promise.all(
    [1, 2].map(async () => (await postForm(page, `${own}/add-key`, key)).text()),
  );
  const shown = pages.map((text) => [...text.matchAll(/<code[^>]*>([^<]+)</g)].map(([, found]) => found));
  expect(shown[0]).toHaveLength(2);
  expect(shown[1]).toEqual(shown[0]);
});
