// An account at a bank by forms alone, in a real browser: made, probed, confirmed by a second person, and paid through.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BankContracts } from "@holdfast/sandbox/banks";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthorization } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import { inspectOnEveryScreen, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { alertOf, factElement, onboardMerchant, open, signInTo, statusOf } from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product?.stop());

const field = (page: Page, path: string) => page.locator(`main [name="${path}"]`);

/** The contract of the sandbox's merchant with the bank. */
function iyzicoContract(): BankContracts["iyzico"] {
  const secrets = readFileSync(join(dirname(product.file.logs), "secrets.json"), "utf8");
  return (JSON.parse(secrets) as { bankContracts: BankContracts }).bankContracts.iyzico;
}

async function pay(headers: Record<string, string>) {
  const answer = await fetch(`${product.file.gatewayUrl}/api/payment`, {
    method: "POST",
    headers,
    body: JSON.stringify(preAuthorization({ orderId: `order-${randomUUID()}` })),
  });
  return (await answer.json()) as { paymentId: string; code?: string };
}

/** Fills the form of a new account at iyzico, but for its address and its credentials. */
async function fillForm(page: Page, name: string): Promise<void> {
  const values = {
    name,
    currencies: "TRY",
    "businessDay.timeZone": "Europe/Istanbul",
    "businessDay.cutOff": "23:00",
    lateArrivalSeconds: "30",
    "settings.defaults.email": "orders@shop.example",
    "settings.defaults.identityNumber": "11111111111",
    "settings.defaults.ip": "203.0.113.1",
    "settings.defaults.address.line1": "Liman Caddesi 1",
    "settings.defaults.address.city": "Izmir",
    "settings.defaults.address.country": "Turkey",
    "settings.defaults.item.name": "Order",
    "settings.defaults.item.category": "Goods",
  };
  for (const [path, value] of Object.entries(values)) await field(page, path).fill(value);
  await field(page, "settings.defaults.item.kind").selectOption("virtual");
}

async function fillSecrets(page: Page, { apiKey, secretKey }: BankContracts["iyzico"], prefix = "") {
  await page.locator(`[id="${prefix}secrets.apiKey"]`).fill(apiKey);
  await page.locator(`[id="${prefix}secrets.secretKey"]`).fill(secretKey);
}

/** The sandbox demands no second person, so that the account's only version becomes a proposal beside it. */
async function unconfirm(accountId: string): Promise<void> {
  await product.query(
    "update payments.acquirer_account_version set confirmed_by = null, confirmed_at = null where account_id = $1",
    [accountId],
  );
  await product.query(
    "update payments.acquirer_account set version = null, state = 'PROPOSED' where account_id = $1",
    [accountId],
  );
}

test("an account is made, probed, confirmed by a second person, and takes a merchant's payment", async () => {
  const bank = product.file.banks!.find(({ protocol }) => protocol === "iyzico")!;
  const contract = iyzicoContract();
  const name = `Zeta bank ${randomUUID().slice(0, 8)}`;
  const page = await signInTo(product, "alice", "/accounts");
  await inspectOnEveryScreen(page, "accounts");
  await page.getByRole("link", { name: "New account" }).click();
  await page.getByRole("link", { name: "iyzico" }).click();
  await fillForm(page, name);
  await field(page, "settings.url").fill("bank");
  await fillSecrets(page, contract);
  await page.getByRole("button", { name: "Make account" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await page.locator('[id="settings.url-fault"]').innerText()).toContain("must be an http");
  expect(await field(page, "settings.defaults.item.name").inputValue()).toBe("Order");
  expect(await field(page, "secrets.apiKey").inputValue()).toBe("");
  await inspectOnEveryScreen(page, "account-new");
  await field(page, "settings.url").fill(bank.url);
  await fillSecrets(page, contract);
  await page.getByRole("button", { name: "Make account" }).dblclick();
  expect(await statusOf(page)).toContain("The account is now as it is shown here");
  expect(await page.title()).toContain(name);
  const accountId = new URL(page.url()).pathname.split("/").at(-1)!;

  await unconfirm(accountId);
  const bora = await signInTo(product, "bora", `/accounts/${accountId}`);
  expect(await bora.getByText("Proposed by alice").count()).toBe(1);
  expect(await bora.getByRole("table", { name: "What it changes" }).innerText()).toContain("defaults.item");
  await open(bora, "Probe the proposal");
  await fillSecrets(bora, { ...contract, secretKey: "wrong" }, "probe-");
  await bora.getByRole("button", { name: "Probe the proposal" }).click();
  expect(await alertOf(bora)).toContain("does not know our user");
  await fillSecrets(bora, contract, "probe-");
  await bora.getByRole("button", { name: "Probe the proposal" }).click();
  expect(await statusOf(bora)).toContain("takes the credentials");
  await open(bora, "Change the account");
  await inspectOnEveryScreen(bora, "account-proposed");
  await bora.getByRole("button", { name: "Confirm the proposal" }).click();
  expect(await statusOf(bora)).toContain("The account is now as it is shown here");
  expect(await factElement(bora, "Status").innerText()).toBe("Active");
  await bora.getByRole("button", { name: "Probe", exact: true }).click();
  expect(await statusOf(bora)).toContain("takes the credentials");

  const { page: shop, headers } = await onboardMerchant(product, `At ${name}`);
  await open(shop, "Change the routes");
  const route = shop.getByRole("group", { name: "Route 1" });
  await route.getByRole("combobox", { name: "Account" }).selectOption({ label: name });
  await shop.getByRole("button", { name: "Save routes" }).click();
  expect(await statusOf(shop)).toContain("The routes are in use");
  const { paymentId } = await pay(headers);
  const stored = "select account_id, state from payments.payment where payment_id = $1";
  await eventually(async () =>
    expect(await product.query(stored, [paymentId])).toEqual([{ account_id: accountId, state: "SUCCESS" }]),
  );

  await shop.getByRole("table", { name: "Routes" }).getByRole("link", { name }).click();
  await shop.getByRole("button", { name: "Take no new payments" }).click();
  expect(await statusOf(shop)).toContain("The account is now as it is shown here");
  expect(await factElement(shop, "Status").innerText()).toBe("No new payments");
  expect((await pay(headers)).code).toBe("no_acquirer_account");
});
