import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { preAuthorization } from "../e2e/running-sandbox.ts";
import { DESK, type BrowserHarness } from "./browser-harness.ts";

/** Markup that must never run on a page. */
export const EVIL = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;

export function readerOf({ name: _name, ...reader }: typeof DESK): BrowserContextOptions {
  return reader;
}

/** Readers at a desk, and with the narrowest telephone in the language with the longest words. */
export const READERS = [
  { name: "desk", reader: readerOf(DESK) },
  {
    name: "phone",
    reader: { viewport: { width: 320, height: 640 }, locale: "tr-TR", isMobile: true, hasTouch: true },
  },
] satisfies { name: string; reader: BrowserContextOptions }[];

/** Signs in with one click, in a browser of its own. */
export async function signInTo(
  product: BrowserHarness,
  name: string,
  path = "/",
  reader: BrowserContextOptions = readerOf(DESK),
): Promise<Page> {
  const { consoleUrl } = product.file;
  const page = await product.openBrowser(reader);
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(consoleUrl + path);
  await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await page.waitForURL((url) => url.href.startsWith(consoleUrl + path));
  return page;
}

/** A sale of the sandbox's merchant, with any texts that a merchant or a buyer may send. */
export async function sell(
  product: BrowserHarness,
  orderId = `order-${randomUUID().slice(0, 8)}`,
  api: BrowserHarness["merchantApi"] = product.merchantApi,
) {
  const body = preAuthorization({ orderId, customerId: EVIL.slice(0, 60) });
  const sale = await api("POST", "/api/payment", body);
  return { orderId, paymentId: sale["paymentId"]! };
}

/** Has the sandbox's merchant ask for a refund in TRY. @returns its id. */
export async function requestRefund(
  product: BrowserHarness,
  paymentId: string,
  given: { amount: number; reason?: string | undefined },
): Promise<string> {
  const body = { currency: "TRY", ...given };
  const refund = await product.merchantApi("POST", `/api/payment/${paymentId}/refund`, body);
  return refund["paymentId"]!;
}

/** Sends a form of the open page, with fields that the browser would not let through. */
export async function postForm(
  page: Page,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { origin } = new URL(page.url());
  const formToken = await page.locator('input[name="formToken"]').first().inputValue();
  return await fetch(origin + path, {
    method: "POST",
    headers: { Origin: origin, Cookie: await cookiesOf(page), ...headers },
    body: new URLSearchParams({ formToken, key: randomUUID(), ...form }),
    redirect: "manual",
  });
}

/** The browser's cookies, as it sends them to the console. */
export async function cookiesOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies(new URL(page.url()).origin);
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** Calls the operator API as one of the sandbox's operators, without the console. */
export async function askOperatorApi(
  { file }: BrowserHarness,
  name: string,
  request: { method: string; path: string; body?: unknown },
): Promise<Response> {
  const { method, path, body } = request;
  const { token } = file.operators.find((operator) => operator.name === name)!;
  const isForm = body instanceof FormData;
  return await fetch(file.operatorUrl + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && !isForm && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
}

export const statusOf = (page: Page) => page.getByRole("status").innerText();
export const alertOf = (page: Page) => page.getByRole("alert").innerText();

/** Everything that a page says beside its fields. */
export const faultsOf = async (page: Page) => (await page.locator("main p.fault").allInnerTexts()).join(" ");

/** The value beside a name in a list of facts. */
export const factElement = (page: Page, name: string) =>
  page.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");

/** A secret that is shown once, without the button beside it. */
export const secretOf = (page: Page, name = "Secret") => factElement(page, name).locator("code").innerText();

/** Unfolds a part of the page. */
export const open = (page: Page, summary: string) => page.locator("summary", { hasText: summary }).click();

/** @returns the page of a new merchant, as alice sees it, and the merchant's key. */
export async function onboardMerchant(product: BrowserHarness, name: string) {
  const page = await signInTo(product, "alice", "/merchants");
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "New merchant" }).click();
  const headers = {
    "X-API-KEY": await secretOf(page, "Key"),
    "X-API-SECRET": await secretOf(page),
    "Content-Type": "application/json",
  };
  await page.getByRole("link", { name: "Go to the merchant" }).click();
  return { page, headers, merchantId: new URL(page.url()).pathname.split("/").at(-1)! };
}
