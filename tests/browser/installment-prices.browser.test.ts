// A merchant whose buyers pay for installments: the page shows the total that the bank charges and the
// statement reports.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import {
  inspectOnEveryScreen,
  SHOP,
  startBrowserHarness,
  typeCard,
  type BrowserHarness,
} from "./browser-harness.ts";
import { askOperatorApi, onboardMerchant } from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => {
  product = await startBrowserHarness();
});
afterAll(() => product.stop());

test("a buyer sees on the page what the statement says a week later", async () => {
  const { headers } = await onboardMerchant(product, "Priced Shop");
  const ask = async (method: string, path: string, body?: object) => {
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(product.file.gatewayUrl + path, request);
    expect(answer.ok).toBe(true);
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads bodies as a stranger would
    return (await answer.json()) as any;
  };
  const { loyaltyCode } = await ask("GET", "/api/bins/41111111");
  await setPrices([
    {
      ...(loyaltyCode !== undefined && { loyaltyCode }),
      installmentCount: 3,
      payer: "BUYER",
      ratePercent: "3.75",
      from: "2020-01-01",
    },
  ]);
  await eventually(
    async () => {
      const { installments } = await ask("GET", "/api/bins/41111111?amount=1249.90&currency=TRY");
      expect(installments).toContainEqual({
        installmentCount: 3,
        installmentTotal: 1296.77,
        parts: [432.27, 432.25, 432.25],
      });
    },
    { everyMs: 500 },
  );

  const checkout = await ask("POST", "/api/checkout", {
    orderId: "priced-1",
    amount: 1249.9,
    currency: "TRY",
    installmentOptions: [3, 6],
    installmentPrices: true,
    successUrl: `${SHOP}/paid`,
    failureUrl: `${SHOP}/failed`,
    threeDs: false,
  });
  const page = await product.visit(checkout);
  await typeCard(page);
  const three = page.locator("label.choice", { has: page.locator('input[value^="3:"]') });
  await three.locator("input").check();
  await inspectOnEveryScreen(page, "desk-priced-installments");
  const shown = /([\d,.]+) in total$/.exec(await three.locator(".detail").innerText())?.[1];
  const seen = Number(shown?.replaceAll(",", ""));
  expect(seen).toBe(1296.77);
  await page.locator("#pay").click();
  await page.locator(".sign.good").waitFor();

  const { payment } = await ask("GET", `/api/checkout/${checkout.checkoutId}`);
  expect(payment).toMatchObject({ amount: 1249.9, installmentTotal: seen, installmentCount: 3 });
  expect(await product.ledger(checkout.checkoutId)).toMatchObject([
    { operation: "sale", outcome: "approved", amountMinor: 129_677 },
  ]);
  await takeBankFile();
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await eventually(
    async () => {
      const { items } = await ask("GET", `/api/statements?from=${dayIn(-10)}&to=${dayIn(10)}`);
      expect(items).toMatchObject([{ currency: "TRY", salesAmount: seen, lines: 1 }]);
    },
    { everyMs: 500 },
  );
});

/** Replaces the prices of the default account, where one person is enough. No other test's checkout asks for prices. */
async function setPrices(prices: object[]): Promise<void> {
  const path = `/operator/acquirer-accounts/${product.file.accountId}/installment-prices`;
  const read = await askOperatorApi(product, "alice", { method: "GET", path });
  const { version } = (await read.json()) as { version: number };
  const body = { version, prices };
  expect((await askOperatorApi(product, "alice", { method: "PUT", path, body })).status).toBe(200);
}

/** Sends the file with which the bank reports everything so far. */
async function takeBankFile(): Promise<void> {
  const body = new FormData();
  const content = await (await fetch(`${product.file.acquirerUrl}/settlement`)).text();
  body.set("file", new Blob([content]), "bank.csv");
  const path = `/operator/settlements?accountId=${product.file.accountId}&mapping=generic`;
  expect((await askOperatorApi(product, "alice", { method: "POST", path, body })).status).toBe(202);
}
