import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import {
  CHALLENGED,
  DESK,
  inspectOnEveryScreen,
  PHONE,
  shopAddress,
  startBrowserHarness,
  typeCard,
  type BrowserHarness,
  type Buyer,
  type Checkout,
} from "./browser-harness.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

/** Cards of the simulator whose issuer wants a challenge, wants none, and turns the cardholder away. */
const FRICTIONLESS = "4000000000003055";
const NOT_AUTHENTICATED = "4000000000003097";
const RIGHT_CODE = "123456";

/** A buyer whose card was sent, at their bank's challenge. */
async function payWith(pan: string, buyer: Buyer = DESK) {
  const checkout = await product.createCheckout({ threeDs: true });
  const page = await product.visit(checkout, buyer);
  await typeCard(page, { pan });
  await page.locator("#pay").click();
  return { checkout, page };
}

const statusOf = async ({ checkoutId }: Checkout) => await product.readCheckout(checkoutId);

test.each([PHONE, DESK])("a challenge that is passed at the $name pays", async (buyer) => {
  const { checkout, page } = await payWith(CHALLENGED, buyer);
  await page.locator("#code").fill(RIGHT_CODE);
  await inspectOnEveryScreen(page, `${buyer.name}-challenge`);
  expect(await statusOf(checkout)).toMatchObject({ status: "OPEN", payment: { status: "ENROLLED" } });
  await page.locator('button[value="submit"]').click();
  await page.locator(".sign.good").waitFor();
  expect(await shopAddress(page)).toMatchObject({
    path: "/paid",
    query: { checkoutId: checkout.checkoutId },
  });
  expect(await statusOf(checkout)).toMatchObject({ status: "COMPLETED", payment: { status: "SUCCESS" } });
  expect(await product.ledger(checkout.checkoutId)).toMatchObject([
    { operation: "sale", outcome: "approved" },
  ]);
});

test.each([
  ["failed", "000000", "submit"],
  ["cancelled", "", "cancel"],
])("a challenge that is %s is told plainly, and another card pays", async (end, code, answer) => {
  const { checkout, page } = await payWith(CHALLENGED, PHONE);
  await page.locator("#code").fill(code);
  await page.locator(`button[value="${answer}"]`).click();
  await page.locator("#outcome:focus").waitFor();
  await inspectOnEveryScreen(page, `phone-challenge-${end}`);
  expect(await statusOf(checkout)).toMatchObject({
    status: "OPEN",
    payment: { status: "FAILED", resultCode: `authentication_${end}` },
  });
  await typeCard(page, { pan: FRICTIONLESS });
  await page.locator("#pay").click();
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
});

test("a buyer who leaves the challenge finds the way back to it, and no second form", async () => {
  const { checkout, page } = await payWith(CHALLENGED, PHONE);
  await page.locator("#code").waitFor();
  await page.goto(checkout.checkoutUrl);
  expect(await page.locator("#card-form").count()).toBe(0);
  await inspectOnEveryScreen(page, "phone-challenge-open");
  await page.locator("a.primary").click();
  await page.locator("#code").fill(RIGHT_CODE);
  await page.locator('button[value="submit"]').click();
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
});

test("a challenge that is never finished ends with its session, and the form is there again", async () => {
  const { checkout, page } = await payWith(CHALLENGED);
  await page.locator("#code").waitFor();
  await page.goto(checkout.checkoutUrl);
  const { payment } = await statusOf(checkout);
  await product.query("update payments.three_ds_session set expires_at = now() where payment_id = $1", [
    payment.paymentId,
  ]);
  // Again where the bank was late: the next attempt would be an hour away, as the session's end is.
  await eventually(async () => {
    await product.query(
      `update payments.payment set recover_at = now(), recovery_from = now() - interval '1 hour'
       where payment_id = $1 and lease_token is null and recover_at is not null`,
      [payment.paymentId],
    );
    expect((await statusOf(checkout)).payment.status).toBe("CANCELLED");
  });
  await page.locator("#card-form").waitFor();
  await inspectOnEveryScreen(page, "desk-challenge-abandoned");
  expect(await statusOf(checkout)).toMatchObject({ status: "OPEN", payment: { status: "CANCELLED" } });
  expect(await product.ledger(checkout.checkoutId)).not.toContainEqual(
    expect.objectContaining({ outcome: "approved", operation: "sale" }),
  );
});

test("a card whose bank wants no challenge pays at once, one whose bank turns it away is declined", async () => {
  const { page } = await payWith(FRICTIONLESS);
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
  const refused = await payWith(NOT_AUTHENTICATED);
  await refused.page.locator("#outcome").waitFor();
  expect(await statusOf(refused.checkout)).toMatchObject({ status: "OPEN", payment: { status: "FAILED" } });
});

test("two tabs at once are one challenge and one payment", async () => {
  const checkout = await product.createCheckout({ threeDs: true });
  const first = await product.visit(checkout);
  const second = await product.visit(checkout);
  await Promise.all([typeCard(first, { pan: CHALLENGED }), typeCard(second, { pan: CHALLENGED })]);
  await Promise.all([first.locator("#pay").click(), second.locator("#pay").click()]);
  const atBank = first.locator("#code").or(first.locator("a.primary"));
  await atBank.waitFor();
  if (await first.locator("a.primary").count()) await first.locator("a.primary").click();
  await first.locator("#code").fill(RIGHT_CODE);
  await first.locator('button[value="submit"]').click();
  expect(await shopAddress(first)).toMatchObject({ path: "/paid" });
  await second.goto(checkout.checkoutUrl);
  expect(await shopAddress(second)).toMatchObject({ path: "/paid" });
  expect(await product.ledger(checkout.checkoutId)).toHaveLength(1);
});

test("without JavaScript the challenge is passed by its buttons", async () => {
  const checkout = await product.createCheckout({ threeDs: true });
  const page = await product.visit(checkout, { ...DESK, javaScriptEnabled: false });
  await page.locator("#pan").fill(CHALLENGED);
  await page.locator("#cardHolderName").fill("Ada Lovelace");
  await page.locator("#expiry").fill("12/30");
  await page.locator("#cvv").fill("937");
  await page.locator("#pay").click();
  await page.getByRole("button").click();
  await page.locator("#code").fill(RIGHT_CODE);
  await page.locator('button[value="submit"]').click();
  await page.getByRole("button").click();
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
});
