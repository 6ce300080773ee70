import { bankProtocols } from "@holdfast/sandbox/banks";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DESK, enrol, inspect, SHOP, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { namesPayment } from "../support/names-payment.ts";

/** Challenges of the banks of `npm start -- --banks`: each has pages, forms and a return of its own. */
let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

describe.each(bankProtocols)("a challenge at %s", (protocol) => {
  test.each([
    { code: "123456", path: "/paid", state: "SUCCESS", book: ["sale approved"] },
    { code: "654321", path: "/failed", state: "FAILED", book: [] },
  ])("answered with $code leads to $path", async ({ code, path, state, book }) => {
    const { paymentId, redirectUrl } = await enrol(product.file.gatewayUrl, bankOf(protocol).merchant);
    const { page, shop } = await visit(redirectUrl);
    await page.locator("#code").fill(code);
    await inspect(page, `desk-challenge-${protocol}`);
    await page.locator('button[value="submit"]').click();
    expect(await shop).toMatchObject({ path, query: { paymentId, orderId: "order-1" } });
    expect(await stateOf(paymentId)).toEqual([state]);
    expect(await bookOf(protocol, paymentId)).toEqual(book);
  });

  test("that the buyer cancels leads back to the shop, and nothing is charged", async () => {
    const { paymentId, redirectUrl } = await enrol(product.file.gatewayUrl, bankOf(protocol).merchant);
    const { page, shop } = await visit(redirectUrl);
    await page.locator('button[value="cancel"]').click();
    expect(await shop).toMatchObject({ path: "/failed", query: { paymentId } });
    expect(await stateOf(paymentId)).toEqual(["FAILED"]);
    expect(await bookOf(protocol, paymentId)).toEqual([]);
  });
});

const bankOf = (protocol: string) => product.file.banks!.find((bank) => bank.protocol === protocol)!;

type AtShop = { path: string; query: Record<string, string> };

/** @returns the page, and its request to the shop, which has no address of its own. */
async function visit(redirectUrl: string): Promise<{ page: Page; shop: Promise<AtShop> }> {
  const page = await product.visit({ checkoutId: "", checkoutUrl: redirectUrl, status: "" }, DESK);
  const shop = page
    .waitForRequest((request) => request.url().startsWith(SHOP))
    .then((request) => {
      const { pathname, searchParams } = new URL(request.url());
      return { path: pathname, query: Object.fromEntries(searchParams) };
    });
  return { page, shop };
}

async function stateOf(paymentId: string): Promise<string[]> {
  const rows = await product.query<{ state: string }>(
    "select state from payments.payment where payment_id = $1",
    [paymentId],
  );
  return rows.map(({ state }) => state);
}

async function bookOf(protocol: string, paymentId: string): Promise<string[]> {
  const ledger = await (await fetch(bankOf(protocol).ledgerUrl)).text();
  return ledger
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { orderId: string; operation: string; outcome: string })
    .filter(({ orderId }) => namesPayment(orderId, paymentId))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);
}
