import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { preAuthorization } from "../e2e/running-sandbox.ts";
import { DESK, type BrowserHarness } from "./browser-harness.ts";

/** What nobody may get to run on a page. */
export const EVIL = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;

export function readerOf({ name: _name, ...reader }: typeof DESK): BrowserContextOptions {
  return reader;
}

/** Four readers: what they have differs in width and in light. */
export const READERS = [
  { name: "desk-light", reader: { ...readerOf(DESK), colorScheme: "light" } },
  { name: "desk-dark", reader: { ...readerOf(DESK), colorScheme: "dark" } },
  {
    name: "phone-light",
    reader: {
      viewport: { width: 390, height: 844 },
      locale: "tr-TR",
      isMobile: true,
      hasTouch: true,
      colorScheme: "light",
    },
  },
  { name: "phone-dark", reader: { viewport: { width: 320, height: 640 }, colorScheme: "dark" } },
] satisfies { name: string; reader: BrowserContextOptions }[];

/** In a browser of their own, signed in by one click. */
export async function signInTo(
  product: BrowserHarness,
  name: string,
  path = "/",
  reader: BrowserContextOptions = readerOf(DESK),
): Promise<Page> {
  const { consoleUrl } = product.file;
  const page = await product.openBrowser(reader);
  await page.goto(consoleUrl + path);
  await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await page.waitForURL((url) => url.href.startsWith(consoleUrl + path));
  return page;
}

/** A sale of the sandbox's merchant, whose texts are whatever a merchant or a buyer may send. */
export async function sell(product: BrowserHarness, orderId = `order-${randomUUID().slice(0, 8)}`) {
  const body = preAuthorization({ orderId, customerId: EVIL.slice(0, 60) });
  const sale = await product.merchantApi("POST", "/api/payment", body);
  return { orderId, paymentId: sale["paymentId"]! };
}
