// The overviews in a real browser: true sums with the way to what they count, and the switch between live and test.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { sell, signInTo } from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product?.stop());

/** The sum by another way than the page's. @param orderId of a sale of the staff's own merchant; null for operators. */
async function soldToday(livemode: boolean, orderId: string | null): Promise<string> {
  const [row] = await product.query<{ sum: string }>(
    `select coalesce(sum(amount_minor), 0)::text as sum from payments.payment
     where created_at >= date_trunc('day', now(), 'UTC') and state in ('SUCCESS', 'CAPTURED') and currency = 'TRY'
       and (uuid_extract_version(merchant_id) is distinct from 8) = $1
       and ($2::text is null or merchant_id = (select merchant_id from payments.payment where order_id = $2 limit 1))`,
    [livemode, orderId],
  );
  return (Number(row!.sum) / 100).toLocaleString("en", { minimumFractionDigits: 2 });
}

test.each(["vera", "mina"])(
  "the sums are of all payments of the mode, and lead to them (%s)",
  async (name) => {
    const { orderId } = await sell(product);
    const tried = await sell(product, undefined, product.testApi);
    const ownedBy = (order: string) => (name === "mina" ? order : null);
    // More rows than any page of a list has.
    await product.query(`insert into payments.payment
    select (jsonb_populate_record(payment, jsonb_build_object('payment_id', uuidv7(), 'created_at', now()))).*
    from payments.payment, generate_series(1, 250) where order_id = '${orderId}'`);
    onTestFinished(async () => {
      await product.query(
        "delete from payments.payment where order_id = $1 and payment_id not in (select payment_id from payments.payment_history)",
        [orderId],
      );
    });
    const page = await signInTo(product, name);
    const sales = page.getByRole("table", { name: "Sales of today (UTC)" });
    expect(await sales.innerText()).toContain(await soldToday(true, ownedBy(orderId)));
    await inspectOnEveryScreen(page, `overview-${name}`);
    await sales.getByRole("link").first().click();
    expect(await page.getByRole("link", { name: orderId }).count()).toBeGreaterThan(0);
    expect(await page.getByRole("link", { name: tried.orderId }).count()).toBe(0);

    await page.goto(`${product.file.consoleUrl}/`);
    await page.getByText("Figures").first().click();
    const hours = page.getByRole("table", { name: /Volume by hour/ });
    await hours.locator('td[data-heading="Today"] a').last().click();
    expect(await page.getByRole("link", { name: orderId }).count()).toBeGreaterThan(0);

    await page.goto(`${product.file.consoleUrl}/`);
    await page.getByRole("group", { name: "Mode" }).getByRole("link", { name: "Test" }).click();
    expect(await sales.innerText()).toContain(await soldToday(false, ownedBy(tried.orderId)));
    expect(await page.getByText("Test: no money moves").count()).toBe(1);
    // Every page that follows is of this mode, and a search too.
    await page.getByRole("link", { name: "Payments", exact: true }).first().click();
    expect(await page.getByRole("link", { name: tried.orderId }).count()).toBe(1);
    expect(await page.getByRole("link", { name: orderId }).count()).toBe(0);
    await page.getByRole("searchbox").fill(orderId);
    await page.getByRole("searchbox").press("Enter");
    expect(await page.getByText("Nothing was found").count()).toBe(1);
    await page.getByRole("link", { name: "Search in mode: Live" }).click();
    expect(await page.getByRole("link", { name: orderId }).count()).toBeGreaterThan(0);
    const current = page.getByRole("group", { name: "Mode" }).locator("[aria-current]");
    expect(await current.innerText()).toBe("Live");
    // The switch leads from one live payment to the list.
    await page.getByRole("link", { name: orderId }).first().click();
    await page.getByRole("group", { name: "Mode" }).getByRole("link", { name: "Test" }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Payments");
  },
);
