import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  CHALLENGED,
  DESK,
  enrol,
  inspect,
  shopAddress,
  SHOP,
  startBrowserHarness,
  typeCard,
  type BrowserHarness,
} from "./browser-harness.ts";

/** A bank whose challenge is its own page, and whose returns have to prove their origin. */
let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
beforeEach(() => modes({ challenge: "page", returns: "proven" }));
afterAll(async () => {
  // Restores the bank's usual modes for later files.
  await modes({ challenge: "form", returns: "bare" });
  await product.stop();
});

const RIGHT_CODE = "123456";

async function modes(change: object): Promise<void> {
  const answer = await fetch(`${product.file.acquirerUrl}/modes`, {
    method: "PUT",
    body: JSON.stringify(change),
  });
  expect(answer.status).toBe(200);
}

type Document = { path: string; origin: string; cookie: string; storage: string };

/** Collects the permissions of each document that the page shows from now on, as a script in it finds them. */
async function watchDocuments(page: Page): Promise<Document[]> {
  const documents: Document[] = [];
  await page.exposeBinding("tell", (_source, document: Document) => void documents.push(document));
  await page.addInitScript(`{
    const attempt = (use) => { try { use(); return "allowed"; } catch (error) { return error.name; } };
    tell({
      path: location.pathname.split("/").slice(0, 3).join("/"),
      origin: self.origin,
      cookie: attempt(() => document.cookie),
      storage: attempt(() => localStorage.length),
    });
  }`);
  return documents;
}

test("is shown from the hosted page to the end, without the powers of our origin", async () => {
  const checkout = await product.createCheckout({ threeDs: true });
  const page = await product.visit(checkout, DESK);
  const documents = await watchDocuments(page);
  await typeCard(page, { pan: CHALLENGED });
  await page.locator("#pay").click();
  await page.locator("#code").fill(RIGHT_CODE);
  await inspect(page, "desk-challenge-bank-page");
  await page.locator('button[value="submit"]').click();
  await page.locator(".sign.good").waitFor();
  expect(await shopAddress(page)).toMatchObject({
    path: "/paid",
    query: { checkoutId: checkout.checkoutId },
  });
  const { origin: issuer } = new URL(product.file.acquirerUrl);
  expect(documents).toContainEqual({
    path: "/3ds/challenge",
    origin: "null",
    cookie: "SecurityError",
    storage: "SecurityError",
  });
  expect(documents.filter(({ path }) => path === "/3ds/challenge")).toHaveLength(1);
  // The sandbox ends with the page: the issuer's own pages are as always.
  expect(documents).toContainEqual({
    path: "/acs/challenge",
    origin: issuer,
    cookie: "allowed",
    storage: "allowed",
  });
  expect(await product.readCheckout(checkout.checkoutId)).toMatchObject({
    status: "COMPLETED",
    payment: { status: "SUCCESS" },
  });
  expect(await product.ledger(checkout.checkoutId)).toMatchObject([
    { operation: "sale", outcome: "approved" },
  ]);
});

test("is reached by the merchant's htmlContent, and a return that somebody makes up changes nothing", async () => {
  const { paymentId, htmlContent } = await enrol(product.file.gatewayUrl, product.file.merchants[0]!);
  const cart = await product.visit({ checkoutId: "", checkoutUrl: `${SHOP}/cart`, status: "" });
  // A tab with an unread console: a return that is refused is a 400 there.
  const page = await cart.context().newPage();
  await page.route(`${SHOP}/pay`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: Buffer.from(htmlContent, "base64").toString(),
    }),
  );
  await page.goto(`${SHOP}/pay`);
  await page.locator("#code").fill(RIGHT_CODE);
  // The right answer, and on its way back the proof is lost.
  await page.route("**/3ds/return/**", (route) => route.continue({ postData: "session=forged" }), {
    times: 1,
  });
  await page.locator('button[value="submit"]').click();
  await page.getByRole("link", { name: "Continue to your bank" }).waitFor();
  // The style is the one that the policy names.
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).textAlign")).toBe("center");
  await inspect(page, "desk-challenge-return-unproven");
  expect(await paymentOf(paymentId)).toEqual(["ENROLLED"]);
  // A redirect leaves the harness's shop, which has no address, out of reach.
  const shop = page.waitForRequest((request) =>
    request.url().startsWith(`${SHOP}/paid?paymentId=${paymentId}`),
  );
  await page.getByRole("link").click();
  await shop;
  expect(await paymentOf(paymentId)).toEqual(["SUCCESS"]);
  const ledger = await (await fetch(`${product.file.acquirerUrl}/ledger`)).text();
  expect(ledger.split("\n").filter((line) => line.includes(paymentId ?? ""))).toHaveLength(1);
});

async function paymentOf(paymentId: string | undefined): Promise<string[]> {
  const rows = await product.query<{ state: string }>(
    "select state from payments.payment where payment_id = $1",
    [paymentId],
  );
  return rows.map(({ state }) => state);
}
