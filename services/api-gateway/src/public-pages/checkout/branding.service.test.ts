import { randomUUID } from "node:crypto";
import { viewPaymentLink, type CheckoutPage, type PaymentLinkPage } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { http } from "../../../test/http-client.ts";
import { startTestCheckouts, pageOf } from "../../../test/test-checkouts.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../../test/test-gateway.ts";
import { comparePage } from "../../page-integrity/compare-page.ts";
import { describeRelease } from "../../page-integrity/page-release.ts";

let gateway: TestGateway;
let checkouts: Awaited<ReturnType<typeof startTestCheckouts>>;
let links: Awaited<ReturnType<typeof serveCommands>>;
let merchant: TestMerchant;
let plain: TestMerchant;
let shownLink: PaymentLinkPage;
beforeAll(async () => {
  gateway = await startTestGateway({ PUBLIC_URL: "https://pay.example.test" });
  checkouts = await startTestCheckouts(gateway.nats.url);
  links = await serveCommands(gateway.nats.url, "payments", [
    handler(viewPaymentLink, async () => ({ outcome: "done", result: shownLink })),
  ]);
  merchant = await gateway.createMerchant({ name: "Lamps Trading Ltd" });
  plain = await gateway.createMerchant({ name: "A plain shop" });
  const { status } = await gateway.operatorApi({
    method: "PATCH",
    path: `/operator/merchants/${merchant.merchantId}`,
    body: JSON.stringify({ branding: BRANDING }),
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await links.stop();
  await checkouts.stop();
  await gateway.stop();
});

const BRANDING = {
  name: "Ada's <Lamps>",
  color: "#7a1f5c",
  logo: '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z" fill="#7a1f5c"/></svg>',
};
const SHOWN_NAME = "Ada&#39;s &lt;Lamps&gt;";

const state = (change: Partial<CheckoutPage>) => async () => {
  const page = pageOf({ merchantId: merchant.merchantId, ...change });
  checkouts.answers.view = async () => ({ outcome: "done", result: page });
  return `/checkout/${page.checkoutId}`;
};
const link = (status: PaymentLinkPage["status"]) => async () => {
  shownLink = {
    paymentLinkId: randomUUID(),
    merchantId: merchant.merchantId,
    status,
    description: "Piano lesson",
    amountMinor: "1250",
    currency: "TRY",
    expiresAt: "2026-11-20T12:30:00.000Z",
  };
  return `/checkout/links/${shownLink.paymentLinkId}`;
};

test.each([
  ["form", state({})],
  ["paid checkout", state({ status: "COMPLETED" })],
  ["expired checkout", state({ status: "EXPIRED" })],
  ["checkout of a link that was used", state({ linkIs: "USED" })],
  ["link", link("ACTIVE")],
  ["link that was used", link("USED")],
])(
  "the page of a %s has the merchant's name, colour and logo, and loads nothing more",
  async (_which, show) => {
    const path = await show();
    const { status, headers, text } = await http(gateway.ports.public, { path });
    expect(status).toBe(200);
    expect(text).toContain(`<span class="merchant-name">${SHOWN_NAME}</span>`);
    expect(text).not.toContain("Lamps Trading");
    expect(text).not.toContain('class="monogram"');
    expect(text).toMatch(
      /<svg class="brand-logo" viewBox="0 0 24 24"[^]*<path\s+d="M4 4h16v16H4z"\s+fill="#7a1f5c"\s*\/>/,
    );
    const nonce = /style-src 'nonce-([^']+)'/.exec(headers["content-security-policy"]!)![1]!;
    expect(text).toContain(`<style nonce="${nonce}">`);
    expect(text).toContain(":root{--accent:#7a1f5c;");
    expect(text).not.toMatch(/<[^>]+ (style|on\w+)=/);
    const url = new URL(path, "http://pay.example.test").href;
    const received = { url, headers: headers as Record<string, string>, body: text };
    const shops = ["https://shop.example"];
    expect(comparePage(received, describeRelease(), { shops }).differences).toEqual([]);
  },
);

test("another merchant's page has our look", async () => {
  const { text } = await http(gateway.ports.public, {
    path: await state({ merchantId: plain.merchantId })(),
  });
  expect(text).toContain("A plain shop");
  expect(text).toContain('class="monogram"');
  expect(text).not.toContain("<style");
});

test("what stands in the database without having been checked is not written to a page", async () => {
  const color = "#000000}body{display:none";
  const superuser = new Client({ connectionString: gateway.database.superuserUrl });
  await superuser.connect();
  await superuser.query("update gateway.merchant set branding = $1 where merchant_id = $2", [
    JSON.stringify({ color, logo: '<svg viewBox="0 0 1 1"><script>steal()</script></svg>' }),
    plain.merchantId,
  ]);
  await superuser.end();
  const { text } = await http(gateway.ports.public, {
    path: await state({ merchantId: plain.merchantId })(),
  });
  expect(text).toContain('class="monogram"');
  expect(text).not.toMatch(/<style|steal\(\)|display:none/);
});
