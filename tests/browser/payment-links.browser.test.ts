import { afterAll, beforeAll, expect, test } from "vitest";
import {
  DESK,
  inspect,
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

const DARK_DESK = { ...DESK, name: "dark-desk", colorScheme: "dark" as const };

test.each([PHONE, SMALL, DESK, DARK_DESK])(
  "a link is paid at the $name, and the second buyer is told",
  async (buyer) => {
    const { paymentLinkId, paymentLinkUrl } = await product.createPaymentLink({
      orderId: `lesson-${buyer.name}`,
      installmentOptions: [3, 6, 12],
    });
    const [first, second] = [
      await product.visit({ checkoutUrl: paymentLinkUrl }, buyer),
      await product.visit({ checkoutUrl: paymentLinkUrl }, buyer),
    ];
    await inspect(first, `${buyer.name}-link`);
    for (const page of [first, second]) {
      await page.locator(".begin button").click();
      await page.locator("#card-form").waitFor();
    }
    await typeCard(first);
    await first.locator('input[name="installmentCount"][value="3"]').check();
    await inspect(first, `${buyer.name}-link-form`);
    await first.locator("#pay").click();
    await first.locator(".sign.good").waitFor();
    // There is no address to go back to.
    expect(await first.locator("main a").count()).toBe(0);
    await inspect(first, `${buyer.name}-link-paid`);

    await typeCard(second);
    await second.locator("#pay").click();
    await second.locator(".sign.bad").waitFor();
    await inspect(second, `${buyer.name}-link-used`);
    const rows = await product.query(
      `select payment.state from payments.payment join payments.checkout_payment using (payment_id)
     join payments.checkout using (checkout_id) where payment_link_id = $1`,
      [paymentLinkId],
    );
    expect(rows).toHaveLength(1);
  },
);

test.each([SMALL, DARK_DESK])("a checkout until tomorrow names the day at the $name", async (buyer) => {
  const page = await product.visit(await product.createCheckout({ expiresInSeconds: 86_400 }), buyer);
  const day = new Intl.DateTimeFormat(buyer.locale, { weekday: "long" }).format(Date.now() + 86_400_000);
  expect(await page.locator("#open-until").textContent()).toContain(day);
  await inspect(page, `${buyer.name}-tomorrow`);
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
