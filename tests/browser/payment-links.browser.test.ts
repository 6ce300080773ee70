import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  DESK,
  inspectOnEveryScreen,
  PHONE,
  SMALL,
  startBrowserHarness,
  typeCard,
  type BrowserHarness,
} from "./browser-harness.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

test.each([PHONE, DESK])("a link is paid at the $name, and the second buyer is told", async (buyer) => {
  const { paymentLinkId, paymentLinkUrl } = await product.createPaymentLink({
    orderId: `lesson-${buyer.name}`,
    installmentOptions: [3, 6, 12],
  });
  const [first, second] = [
    await product.visit({ checkoutUrl: paymentLinkUrl }, buyer),
    await product.visit({ checkoutUrl: paymentLinkUrl }, buyer),
  ];
  await inspectOnEveryScreen(first, `${buyer.name}-link`);
  for (const page of [first, second]) {
    await page.locator(".begin button").click();
    await page.locator("#card-form").waitFor();
  }
  await typeCard(first);
  await first.locator('input[name="installmentCount"][value="3"]').check();
  await inspectOnEveryScreen(first, `${buyer.name}-link-form`);
  await first.locator("#pay").click();
  await first.locator(".sign.good").waitFor();
  // The buyer can keep what the payment is known by, once the script has run.
  await first.locator("[data-print]").waitFor();
  const receipt = await first.locator(".receipt").innerText();
  for (const fact of [`lesson-${buyer.name}`, "•••• 1111", String(new Date().getFullYear())])
    expect(receipt).toContain(fact);
  expect(receipt).toMatch(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/);
  expect(receipt).not.toContain("UTC");
  // The page has no address to go back to.
  expect(await first.locator("main a").count()).toBe(0);
  await inspectOnEveryScreen(first, `${buyer.name}-link-paid`);

  await typeCard(second);
  await second.locator("#pay").click();
  await second.locator(".sign.bad").waitFor();
  await inspectOnEveryScreen(second, `${buyer.name}-link-used`);
  const rows = await product.query(
    `select payment.state from payments.payment join payments.checkout_payment using (payment_id)
     join payments.checkout using (checkout_id) where payment_link_id = $1`,
    [paymentLinkId],
  );
  expect(rows).toHaveLength(1);
});

test.each([PHONE, DESK])("a checkout until tomorrow names the day at the $name", async (buyer) => {
  const page = await product.visit(await product.createCheckout({ expiresInSeconds: 86_400 }), buyer);
  const day = new Intl.DateTimeFormat(buyer.locale, { weekday: "long" }).format(Date.now() + 86_400_000);
  expect(await page.locator("#open-until").textContent()).toContain(day);
  await inspectOnEveryScreen(page, `${buyer.name}-tomorrow`);
});

test("a buyer who gives up is sent back as one who cancelled", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout, SMALL);
  await page.locator(".cancel button").click();
  await page.waitForURL("**/failed?**");
  expect(new URL(page.url()).searchParams.get("checkoutStatus")).toBe("CANCELLED");
});

test("without JavaScript the link leads to the form, and the time is that of UTC", async () => {
  const { paymentLinkUrl } = await product.createPaymentLink({ orderId: "lesson-plain", use: "MULTIPLE" });
  const page = await product.visit({ checkoutUrl: paymentLinkUrl }, { ...DESK, javaScriptEnabled: false });
  await page.locator(".begin button").click();
  expect(await page.locator("#open-until").textContent()).toMatch(/ UTC\s*$/);
});

test("a checkout of test mode says that it is one, on every screen", async () => {
  const checkout = await product.createCheckout();
  await product.query(
    "update payments.checkout set merchant_id = overlay(merchant_id::text placing '8' from 15 for 1)::uuid where checkout_id = $1",
    [checkout.checkoutId],
  );
  const page = await product.visit(checkout, SMALL);
  expect(await page.locator(".test-mode").textContent()).toContain("test");
  await inspectOnEveryScreen(page, "test-mode");
});

/** A colour that is too dark for a dark screen, and a logo that is drawn for a light one. */
const BRANDING = {
  name: "Ada's Lamps",
  color: "#3d0a5c",
  logo: '<svg viewBox="0 0 60 24"><path d="M4 20L12 4l8 16z" fill="#3d0a5c"/><circle cx="40" cy="12" r="8" fill="#d9a400"/></svg>',
};

test.each([DESK, PHONE])(
  "a merchant's look is on the link, the form and the result at the $name",
  async (buyer) => {
    await product.brandMerchant(BRANDING);
    onTestFinished(() => product.brandMerchant(null));
    const { paymentLinkUrl } = await product.createPaymentLink({ installmentOptions: [3] });
    const page = await product.visit({ checkoutUrl: paymentLinkUrl }, buyer);
    expect(await page.locator(".merchant-name").textContent()).toBe(BRANDING.name);
    expect(await page.locator(".brand-logo").count()).toBe(1);
    // The name stays on one line, however narrow the screen is.
    const name = await page.locator(".merchant-name").boundingBox();
    expect(name!.height).toBeLessThan(40);
    await inspectOnEveryScreen(page, `${buyer.name}-brand-link`);
    const backgroundIn = async (colorScheme: "light" | "dark") => {
      await page.emulateMedia({ colorScheme });
      return await page.evaluate<string>(
        `getComputedStyle(document.querySelector(".begin button")).backgroundColor`,
      );
    };
    expect(await backgroundIn("dark")).not.toBe("rgb(61, 10, 92)");
    expect(await backgroundIn("light")).toBe("rgb(61, 10, 92)");
    await page.locator(".begin button").click();
    await typeCard(page);
    await inspectOnEveryScreen(page, `${buyer.name}-brand-form`);
    const chosen = () =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector(".choice:has(:checked)")).backgroundColor`,
      );
    const branded = await chosen();
    await page.evaluate(`document.documentElement.style.setProperty("--accent", "#00ff00")`);
    expect(await chosen()).not.toBe(branded);
    await page.evaluate(`document.documentElement.style.removeProperty("--accent")`);
    await page.locator("#pay").click();
    await page.locator(".sign.good").waitFor();
    await inspectOnEveryScreen(page, `${buyer.name}-brand-paid`);
  },
);

test("a long name takes two lines beside no language, and what is bought stands in the order's place", async () => {
  const name = "Kapadokya Organik Tarım Ürünleri Sanayi ve Dış Ticaret A.Ş.";
  await product.brandMerchant({ ...BRANDING, name });
  onTestFinished(() => product.brandMerchant(null));
  const checkout = await product.createCheckout({ buyerText: "2 tickets, 14 March" });
  const page = await product.visit(checkout, SMALL);
  expect(await page.locator(".order").innerText()).toContain("2 tickets, 14 March");
  expect(await page.locator(".order").innerText()).not.toContain("order-4711");
  const shown = (await page.locator(".merchant-name").boundingBox())!;
  const languages = (await page.locator(".languages").boundingBox())!;
  expect(shown.height).toBeLessThanOrEqual(40);
  expect(languages.y).toBeGreaterThanOrEqual(shown.y + shown.height);
  await inspectOnEveryScreen(page, "long-name");
});

test("while it pays, the button turns", async () => {
  const page = await product.visit(await product.createCheckout(), PHONE);
  await typeCard(page);
  await page.route("**/pay?*", () => {});
  await page.locator("#pay").click();
  await page.locator('#pay[aria-disabled="true"]').waitFor();
  const turning = `getComputedStyle(document.querySelector("#pay"), "::before").animationName`;
  expect(await page.evaluate(turning)).toBe("turn");
});
