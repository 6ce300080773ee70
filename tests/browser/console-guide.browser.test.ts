// The promises of the console's guide, from the sandbox alone: a refund by two people, and a payment explained by its
// order number.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GENERIC_HEADER, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { DESK, inspectInBothLights, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  EVIL,
  faultsOf,
  postForm,
  READERS,
  readerOf,
  requestRefund,
  sell,
  signInTo,
  statusOf,
} from "./console-people.ts";

let product: BrowserHarness;
let consoleUrl: string;
beforeAll(async () => {
  product = await startBrowserHarness();
  ({ consoleUrl } = product.file);
});
afterAll(() => product?.stop());

const signIn = (name: string, path?: string, reader?: Parameters<typeof signInTo>[3]) =>
  signInTo(product, name, path, reader);

/** A file on the desk of the person who uploads it. */
async function writeBankFile(content: string, name = "bank.csv"): Promise<string> {
  const path = join(makeTestDirectory(), name);
  await writeFile(path, content);
  return path;
}

async function upload(page: Page, file: string): Promise<void> {
  await page.goto(`${consoleUrl}/settlement`);
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
  await page.getByRole("button", { name: "Upload file" }).click();
}

/** The bank's report of everything that was sent to it so far. */
const bankReport = async () => await (await fetch(`${product.file.acquirerUrl}/settlement`)).text();

/** Waits until the file was read, and lets it count. @param isScripted without a script a page asks once more. */
async function confirmFile(page: Page, { isScripted = true } = {}): Promise<void> {
  await untilShown(page, /Confirm file/);
  await page.getByRole("button", { name: "Confirm file" }).click();
  if (!isScripted) await page.getByRole("button", { name: "Yes, do it" }).click();
  await page.waitForURL(/done=confirmFile/);
  expect(await statusOf(page)).toContain("The file counts");
}

/** Reloads until the page says so. */
async function untilShown(page: Page, text: string | RegExp): Promise<void> {
  await eventually(async () => {
    await page.reload();
    expect(await page.getByRole("main").innerText()).toMatch(text);
  });
}

test("a refund goes from the merchant's request to the money back, by two people", async () => {
  const { paymentId, orderId } = await sell(product);
  const alice = await signIn("alice", `/search?q=${orderId}`);
  await alice.getByRole("link", { name: orderId }).click();
  await alice.getByRole("textbox", { name: "Amount" }).fill("4.50");
  await alice.getByRole("textbox", { name: "Reason" }).fill("returned");
  await alice.getByRole("button", { name: "Refund", exact: true }).click();
  expect(await statusOf(alice)).toContain("A different person has to approve it");

  const bora = await signIn("bora", "/refunds");
  const row = bora.getByRole("row").filter({ hasText: orderId });
  expect(await row.innerText()).toMatch(/returned \(alice\)/);
  await row.getByRole("button", { name: "Approve" }).click();
  await bora.getByRole("status").getByRole("link", { name: "Refund" }).click();
  await untilShown(bora, /Executing → /);
  await untilShown(bora, /Status\s+Success/);
  const refundId = new URL(bora.url()).pathname.split("/").at(-1)!;
  const ledger = await (await fetch(`${product.file.acquirerUrl}/ledger`)).text();
  expect(ledger.split("\n").filter((line) => line.includes(`${refundId}:refund`))).not.toEqual([]);
  await alice.goto(`${consoleUrl}/payments/${paymentId}`);
  expect(await alice.getByRole("table", { name: "Timeline" }).innerText()).toMatch(
    /Refund ended: TRY\s4\.50, Success/,
  );
});

test("an order number leads to the payment, its webhooks, its bank lines and its refund in three clicks", async () => {
  const { paymentId, orderId } = await sell(product);
  await requestRefund(product, paymentId, { amount: 2 });
  const clerk = await signIn("alice");
  await upload(clerk, await writeBankFile(await bankReport()));
  await confirmFile(clerk);
  await untilShown(clerk, /agrees/);

  const page = await signIn("vera");
  await page.evaluate("sessionStorage.clear()");
  let clicks = 0;
  const click = async (name: string | RegExp, role: "button" | "link" = "link") => {
    clicks++;
    await page.getByRole("main").or(page.getByRole("search")).getByRole(role, { name }).first().click();
  };
  await page.getByRole("searchbox", { name: "Search" }).fill(orderId);
  await click("Search", "button");
  await page.getByRole("row").filter({ hasText: "Payment" }).getByRole("link", { name: orderId }).waitFor();
  clicks++;
  await page.getByRole("row").filter({ hasText: "Payment" }).getByRole("link", { name: orderId }).click();
  const timeline = page.getByRole("table", { name: "Timeline" });
  await timeline.waitFor();
  // Everything is on the page that two clicks lead to, and one more click opens each item.
  const found = {
    webhook: timeline.getByRole("link", { name: "payment.status_changed" }).first(),
    refund: timeline.getByRole("link", { name: "TRY 2.00" }).first(),
    bankLine: timeline.getByRole("link", { name: /bank\.csv, line/ }).first(),
  };
  const payment = page.url();
  const before = clicks;
  for (const [name, link] of Object.entries(found)) {
    clicks = before + 1;
    await link.click();
    await page.waitForURL((url) => url.href !== payment);
    expect(await page.getByRole("alert").count(), name).toBe(0);
    expect(clicks, name).toBeLessThanOrEqual(3);
    await page.goto(payment);
  }
});

test("a file is taken once, whoever sends it twice, and without a script", async () => {
  const line = genericLine({
    kind: "SALE",
    reference: randomUUID(),
    bank_reference: "",
    auth_code: "",
    card: "",
    gross: "77.31",
    fee: "0.00",
    net: "77.31",
    currency: "TRY",
    transacted_at: "2026-03-10T12:00:00",
    settles_on: "2026-03-11",
    payout_id: "",
  });
  const file = await writeBankFile(
    [GENERIC_HEADER, line, "broken", ""].join("\n"),
    `${EVIL.slice(0, 24)}.csv`.replaceAll("/", ""),
  );
  const page = await signIn("alice", "/settlement", { ...readerOf(DESK), javaScriptEnabled: false });
  await upload(page, file);
  expect(await statusOf(page)).toContain("The file was uploaded");
  await untilShown(page, /Differences that change once it counts/);
  const changes = page.getByRole("table", { name: "Differences that change once it counts" });
  expect(await changes.innerText()).toMatch(/Missing here\s+1\s+0/);
  expect(await changes.innerText()).toMatch(/Not readable\s+1\s+0/);
  expect(await page.getByRole("table", { name: "Its lines by kind" }).innerText()).toMatch(/TRY\s77\.31/);
  expect(await page.getByText("Waits to be confirmed").count()).toBe(1);
  expect(await page.getByRole("main").innerText()).toMatch(/Days of settlement[^]{0,20}2026/);
  await confirmFile(page, { isScripted: false });
  await untilShown(page, /Compared\s/);
  expect(await page.getByRole("table", { name: "Lines that could not be read" }).innerText()).toContain("3");
  expect(await page.locator("main img, main script").count()).toBe(0);
  await upload(page, file);
  expect(await alertOf(page)).toContain("taken before");
  expect(await page.getByLabel("Mapping").inputValue()).toBe("generic");
  await page.goto(`${consoleUrl}/settlement`);
  await page.getByRole("button", { name: "Upload file" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Choose the bank's file");
});

test("who may only read is offered no upload, and a file that they or another site send is not taken", async () => {
  const page = await signIn("vera", "/settlement");
  expect(await page.getByRole("button", { name: "Upload file" }).count()).toBe(0);
  const files = () =>
    product.query("select 1 from settlement.upload union all select 1 from settlement.import");
  const before = (await files()).length;
  const formToken = await page.locator('input[name="formToken"]').first().inputValue();
  const cookies = await page.context().cookies(consoleUrl);
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const send = async (token: string, Origin: string) => {
    const form = new FormData();
    for (const [name, value] of [
      ["formToken", token],
      ["accountId", product.file.accountId],
      ["mapping", "generic"],
    ] as const)
      form.set(name, value);
    form.set("file", new Blob([GENERIC_HEADER]), "bank.csv");
    const headers = { Cookie, Origin };
    return (await fetch(`${consoleUrl}/settlement/upload`, { method: "POST", headers, body: form })).status;
  };
  expect(await send(formToken, consoleUrl)).toBe(403);
  expect(await send("stale", consoleUrl)).toBe(403);
  expect(await send(formToken, "https://evil.example")).toBe(403);
  // No form with a file.
  expect((await postForm(page, "/settlement/upload", {})).status).toBe(400);
  expect((await files()).length).toBe(before);
});

test.each(READERS)("the page of a bank's file can be read ($name)", async ({ name, reader }) => {
  await sell(product);
  const page = await signIn("alice", "/settlement", { ...reader, locale: "en-GB" });
  await upload(page, await writeBankFile(`${await bankReport()}broken\n`));
  await page.getByRole("status").waitFor();
  await untilShown(page, /agrees/);
  await inspectInBothLights(page, `console-import-${name}`);
  expect((await page.goto(`${consoleUrl}/settlement`))!.status()).toBe(200);
  await inspectInBothLights(page, `console-settlement-upload-${name}`);
});
