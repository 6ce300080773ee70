// A dispute in a real browser: from the overview to its evidence, and to its end by two people.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectInBothLights, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi,
  EVIL,
  factElement,
  faultsOf,
  READERS,
  sell,
  signInTo,
  statusOf,
} from "./console-people.ts";

let product: BrowserHarness;
beforeAll(async () => void (product = await startBrowserHarness()));
afterAll(async () => await product?.stop());

const DAY_MS = 86_400_000;

async function openDispute(amount: number, orderId?: string): Promise<{ orderId: string; path: string }> {
  const sold = await sell(product, orderId);
  const opened = await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/payments/${sold.paymentId}/chargebacks`,
    body: {
      amount,
      currency: "TRY",
      reasonCode: EVIL.slice(0, 60),
      respondBy: new Date(Date.now() + 2.5 * DAY_MS).toISOString(),
    },
  });
  expect(opened.status).toBe(201);
  const { chargebackId } = (await opened.json()) as { chargebackId: string };
  return { orderId: sold.orderId, path: `/disputes/${chargebackId}` };
}

const addFile = async (page: Page, name: string, content: Buffer) => {
  await page.locator("#file").setInputFiles({ name, mimeType: "application/pdf", buffer: content });
  await page.getByRole("button", { name: "Add file" }).click();
};

test("a dispute's evidence is four clicks away, and the file comes back as it was sent", async () => {
  const { orderId, path } = await openDispute(4.25);
  const content = Buffer.from("a proof of delivery");
  const name = "teslim fişi (1).pdf";
  const page = await signInTo(product, "alice", path);
  await addFile(page, name, content);
  expect(await statusOf(page)).toContain("The file is kept");
  await page.goto(product.file.consoleUrl);
  expect(await page.getByRole("table", { name: "Waiting" }).innerText()).toMatch(/Open disputes\s+\d+/);
  await page.getByRole("link", { name: "Open disputes" }).click();
  const row = page.getByRole("row").filter({ hasText: orderId });
  expect(await row.innerText()).toMatch(/Demo Shop[^]*TRY\s4\.25[^]*2 days left/);
  await row.getByRole("link", { name: orderId }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name }).click();
  const download = await downloading;
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks)).toEqual(content);
  expect(download.suggestedFilename()).toContain("fişi");
  // The links lead to the payment and back.
  await factElement(page, "Payment").getByRole("link").click();
  await factElement(page, "Disputes").getByRole("link").click();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await page.locator("main img, main script").count()).toBe(0);
});

test("a file that is none, or too large, is refused beside the form, and nothing is kept", async () => {
  const { path } = await openDispute(1);
  const page = await signInTo(product, "alice", path);
  await page.getByRole("button", { name: "Add file" }).click();
  expect(await alertOf(page)).toContain("The fields below");
  expect(await faultsOf(page)).toContain("Choose a file");
  await addFile(page, "large.pdf", Buffer.alloc(4_194_305));
  expect(await page.getByRole("alert").count()).toBe(1);
  expect(await page.getByText("No file yet").count()).toBe(1);
});

test("two people state how a large dispute ended, each after a question that names it", async () => {
  const { orderId, path } = await openDispute(12);
  const state = async (name: string) => {
    const page = await signInTo(product, name, path);
    const questions: string[] = [];
    page.on("dialog", (dialog) => questions.push(dialog.message()));
    await page.getByLabel("Outcome").selectOption("LOST");
    await page.getByRole("textbox", { name: "Reason" }).fill("the buyer is right");
    await page.getByRole("button", { name: "Record outcome" }).click();
    await page.getByRole("status").waitFor();
    expect(questions).toEqual([
      expect.stringMatching(new RegExp(`Lost or accepted.*TRY\\s12\\.00.*${orderId}`)),
    ]);
    return page;
  };
  const alice = await state("alice");
  expect(await statusOf(alice)).toContain("A second person");
  expect(await alice.getByRole("button", { name: "Record outcome" }).count()).toBe(0);
  expect(await factElement(alice, "Status").innerText()).toBe("Open");
  const bora = await state("bora");
  expect(await statusOf(bora)).toContain("The outcome is recorded");
  expect(await factElement(bora, "Status").innerText()).toBe("Lost");
  expect(await bora.locator("#file").count()).toBe(0);
});

test("what the bank says later is recorded, and who may only read changes nothing", async () => {
  const { path } = await openDispute(2);
  const page = await signInTo(product, "alice", path);
  await page.getByText("Record what the bank says").click();
  await page.getByRole("textbox", { name: "The bank's case number" }).fill("case-4711");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await statusOf(page)).toContain("is recorded");
  expect(await factElement(page, "The bank's case number").innerText()).toBe("case-4711");
  await addFile(page, "letter.pdf", Buffer.from("a letter"));
  expect(await statusOf(page)).toContain("The file is kept");
  const vera = await signInTo(product, "vera", path);
  expect(await vera.getByRole("main").getByRole("button").count()).toBe(0);
  expect(await vera.getByText("it needs the role operations").count()).toBe(1);
  // The file may have a whole card number.
  expect(await vera.getByText("letter.pdf").count()).toBe(1);
  expect(await vera.getByRole("link", { name: "letter.pdf" }).count()).toBe(0);
});

test.each(READERS)("the pages of disputes can be read and operated ($name)", async ({ name, reader }) => {
  const { path } = await openDispute(3);
  const page = await signInTo(product, "alice", path, reader);
  await page.locator("#file").setInputFiles({ name: "a.pdf", mimeType: "", buffer: Buffer.from("x") });
  await page.locator("form[enctype] button").click();
  await page.getByRole("status").waitFor();
  await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
  await inspectInBothLights(page, `console-dispute-${name}`);
  const answer = await page.goto(`${product.file.consoleUrl}/disputes?status=`);
  expect(answer!.status()).toBe(200);
  await inspectInBothLights(page, `console-disputes-${name}`);
  if (reader.locale === "tr-TR") expect(await page.title()).toBe("İtirazlar · Holdfast");
});
