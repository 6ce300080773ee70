import { eventually } from "../support/index.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  CARD,
  DESK,
  inspect,
  inspectOnEveryScreen,
  PHONE,
  shopAddress,
  SHOP,
  startBrowserHarness,
  typeCard,
  type BrowserHarness,
} from "./browser-harness.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

const DECLINED = "4000000000009995";
/** Done, and never answered. */
const HANGS = "4000000000000119";

const paymentsOf = (checkoutId: string) =>
  product.query("select payment_id from payments.checkout_payment where checkout_id = $1", [checkoutId]);
const letExpire = (checkoutId: string) =>
  product.query("update payments.checkout set expires_at = now() where checkout_id = $1", [checkoutId]);

test.each([PHONE, DESK])("a buyer at the $name pays in installments and is sent back", async (buyer) => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout, buyer);
  await inspectOnEveryScreen(page, `${buyer.name}-form`);
  await typeCard(page);
  await page.locator('input[name="installmentCount"][value="3"]').check();
  expect(await page.locator("#pan").inputValue()).toBe("4111 1111 1111 1111");
  expect(await page.locator("#scheme").textContent()).toBe("Visa");
  await inspectOnEveryScreen(page, `${buyer.name}-filled`);
  await page.locator("#pay").click();
  await page.locator(".sign.good").waitFor();
  await inspect(page, `${buyer.name}-paid`);

  const { path, query } = await shopAddress(page);
  const found = await product.readCheckout(checkout.checkoutId);
  expect(found).toMatchObject({ status: "COMPLETED", payment: { status: "SUCCESS", installmentCount: 3 } });
  const { paymentId } = found.payment;
  expect({ path, query }).toEqual({
    path: "/paid",
    query: {
      cart: "1",
      checkoutId: checkout.checkoutId,
      paymentId,
      orderId: "order-4711",
      checkoutStatus: "COMPLETED",
    },
  });
});

test("the page speaks the buyer's language, writes amounts as they do, and can be switched", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout, PHONE);
  expect(await page.locator("html").getAttribute("lang")).toBe("tr");
  expect(await page.locator("#pay").innerText()).toBe("₺1.249,90 öde");
  await page.getByRole("link", { name: "English" }).click();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await page.locator("#pay").innerText()).toBe("Pay TRY\u00a01,249.90");
});

test.each([PHONE, DESK])(
  "faults are told at the $name beside their fields, and the first has the focus",
  async (buyer) => {
    const page = await product.visit(await product.createCheckout(), buyer);
    await page.locator("#pan").pressSequentially("4111111111111112");
    await page.locator("#pay").click();
    await page.locator("#pan:focus").waitFor();
    for (const field of ["pan", "cardHolderName", "expiry", "cvv"]) {
      const input = page.locator(`#${field}`);
      expect(await input.getAttribute("aria-invalid")).toBe("true");
      expect(await input.getAttribute("aria-describedby")).toContain(`${field}-fault`);
      expect(await page.locator(`#${field}-fault`).textContent()).not.toBe("");
    }
    await inspectOnEveryScreen(page, `${buyer.name}-faults`);
    await page.locator("#pan").press("Backspace");
    await page.locator("#pan").press("1");
    expect(await page.locator("#pan-fault").textContent()).toBe("");
    expect(await paymentsOf((await product.createCheckout()).checkoutId)).toEqual([]);
  },
);

test("a buyer with a keyboard only pays", async () => {
  const checkout = await product.createCheckout({ installmentOptions: [] });
  const page = await product.visit(checkout);
  const { keyboard } = page;
  await page.locator("#pan").focus();
  await keyboard.type(CARD.pan);
  await keyboard.press("Tab");
  await keyboard.type("Ada Lovelace");
  await keyboard.press("Tab");
  await keyboard.type("1230");
  await keyboard.press("Tab");
  await keyboard.type("937");
  await keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.id")).toBe("pay");
  await keyboard.press("Enter");
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
});

test.each([PHONE, DESK])(
  "a declined card at the $name is told plainly, and another one pays",
  async (buyer) => {
    const checkout = await product.createCheckout();
    const page = await product.visit(checkout, buyer);
    await typeCard(page, { pan: DECLINED });
    await page.locator("#pay").click();
    await page.locator("#outcome:focus").waitFor();
    expect(await page.locator("#cvv").inputValue()).toBe("");
    await inspectOnEveryScreen(page, `${buyer.name}-declined`);
    await page.reload();
    await page.locator("#outcome").waitFor();
    expect(await page.locator("#pan").inputValue()).toBe("");
    await typeCard(page);
    await page.locator("#pay").click();
    expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
    expect(await product.ledger(checkout.checkoutId)).toMatchObject([
      { outcome: "declined" },
      { outcome: "approved" },
    ]);
  },
);

test("a double click is one payment", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout);
  await typeCard(page);
  await page.locator("#pay").dblclick();
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
  expect(await paymentsOf(checkout.checkoutId)).toHaveLength(1);
});

test.each(["{}", "<h1>Bad gateway</h1>"])(
  "after an answer that says nothing (%s) the buyer is not told that nothing was started, and pays once",
  async (body) => {
    const checkout = await product.createCheckout();
    const page = await product.visit(checkout);
    await page.route("**/pay?*", async (route) => {
      await route.fetch();
      await route.fulfill({ status: 200, contentType: "application/json", body });
    });
    await typeCard(page);
    await page.locator("#pay").click();
    await page.locator("#outcome").waitFor();
    expect(await page.locator("#outcome").innerText()).toContain("could not confirm your payment");
    await page.unroute("**/pay?*");
    await page.locator("#pay").click();
    expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
    expect(await product.ledger(checkout.checkoutId)).toHaveLength(1);
  },
);

test("two tabs at once are one payment, and both end at the shop", async () => {
  const checkout = await product.createCheckout();
  const first = await product.visit(checkout);
  const second = await product.visit(checkout);
  await Promise.all([typeCard(first), typeCard(second)]);
  await Promise.all([first.locator("#pay").click(), second.locator("#pay").click()]);
  const [one, two] = await Promise.all([shopAddress(first), shopAddress(second)]);
  expect(one).toEqual(two);
  expect(await product.ledger(checkout.checkoutId)).toHaveLength(1);
});

/** Sets the bank's faults for its next calls; `DELETE` removes all of them. */
async function bankFaults(method: "POST" | "DELETE", fault?: object): Promise<void> {
  const { ok } = await fetch(`${product.file.acquirerUrl}/faults`, {
    method,
    headers: { "content-type": "application/json" },
    ...(fault && { body: JSON.stringify(fault) }),
  });
  expect(ok).toBe(true);
}

test("a bank that does not answer is waited for; a reload shows the same and pays nothing again", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout, PHONE);
  // Until the page was inspected, the bank does not answer and the page does not poll: otherwise it would
  // continue.
  await bankFaults("POST", { operation: "inquire", behaviour: "http_500", times: 1_000 });
  onTestFinished(() => bankFaults("DELETE"));
  const looked = Promise.withResolvers<void>();
  await page.route(`**/${checkout.checkoutId}/state`, async (route) => {
    await looked.promise;
    await route.continue();
  });
  await typeCard(page, { pan: HANGS });
  await page.locator("#pay").click();
  await page.locator("[data-poll]").waitFor();
  await inspectOnEveryScreen(page, "phone-waiting");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  looked.resolve();
  await bankFaults("DELETE");
  await page.reload();
  const tab = await product.visit(checkout);
  expect(await tab.locator("#card-form").count()).toBe(0);
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
  expect(await product.ledger(checkout.checkoutId)).toHaveLength(1);
});

test("a reload after the payment shows that it is paid", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout);
  await typeCard(page);
  await page.locator("#pay").click();
  await page.locator(".sign.good").waitFor();
  await page.reload();
  await page.locator(".sign.good").waitFor();
  expect(await paymentsOf(checkout.checkoutId)).toHaveLength(1);
});

test.each([PHONE, DESK])(
  "a form at the $name that was open when the time ran out pays nothing",
  async (buyer) => {
    const checkout = await product.createCheckout();
    const page = await product.visit(checkout, buyer);
    await typeCard(page);
    // The card's installments are there: asked for after the end they would be a 404, which the browser complains of.
    await page.locator("#installments-hint").waitFor({ state: "hidden" });
    await letExpire(checkout.checkoutId);
    await page.locator("#pay").click();
    await page.locator(".sign.bad").waitFor();
    await inspectOnEveryScreen(page, `${buyer.name}-expired`);
    expect(await paymentsOf(checkout.checkoutId)).toEqual([]);
    expect(await product.readCheckout(checkout.checkoutId)).toMatchObject({ status: "EXPIRED" });
  },
);

test("a buyer who gives up is sent to the shop, and the checkout is cancelled", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout);
  await page.getByRole("button", { name: /Cancel/ }).click();
  expect(await shopAddress(page)).toMatchObject({
    path: "/failed",
    query: { checkoutId: checkout.checkoutId },
  });
  expect(await product.readCheckout(checkout.checkoutId)).toMatchObject({ status: "CANCELLED" });
});

test("without JavaScript the same form pays, after it has told what was wrong", async () => {
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout, { ...DESK, javaScriptEnabled: false });
  await page.locator("#pan").fill("4111 1111 1111 1112");
  await page.locator("#cardHolderName").fill("Ada Lovelace");
  await page.locator("#expiry").fill("12/30");
  await page.locator("#cvv").fill("937");
  await page.locator("#pay").click();
  expect(await page.locator("#pan-fault").textContent()).not.toBe("");
  expect(await page.locator("#pan").inputValue()).toBe("");
  expect(page.url()).not.toMatch(/4111/);
  await page.locator("#pan").fill("4111 1111 1111 1111");
  await page.locator("#cardHolderName").fill("Ada Lovelace");
  await page.locator("#expiry").fill("12/30");
  await page.locator("#cvv").fill("937");
  await page.locator("#pay").click();
  expect(await shopAddress(page)).toMatchObject({ path: "/paid" });
});

test("nothing of the card stays behind: not in an address, the browser's storage, a log or an answer", async () => {
  const recorded = async () => (await product.logs()).split("payment recorded").length;
  const before = await recorded();
  const checkout = await product.createCheckout();
  const page = await product.visit(checkout);
  const heard: string[] = [];
  page.on("request", (request) => heard.push(request.url()));
  page.on("response", async (response) => {
    if (response.url().startsWith(SHOP)) return;
    heard.push(JSON.stringify(await response.allHeaders()), await response.text().catch(() => ""));
  });
  await typeCard(page);
  await page.locator("#pay").click();
  await page.locator(".sign.good").waitFor();
  const storage = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])";
  const stored = String(await page.evaluate(storage));
  await shopAddress(page);
  const cookies = JSON.stringify(await page.context().cookies());
  await eventually(async () => expect(await recorded()).toBeGreaterThan(before));
  for (const text of [...heard, stored, cookies, await product.logs()]) {
    expect(text).not.toMatch(/4111[ -]?1111[ -]?1111/);
    expect(text).not.toContain(`"${CARD.cvv}"`);
  }
  expect(stored).toBe('[{},{},"",null]');
  expect(cookies).toBe("[]");
});
