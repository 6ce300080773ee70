// Every page of the console on a telephone of 390 pixels, in both languages: it fits, and axe finds nothing.
import { afterAll, beforeAll, expect, test } from "vitest";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { pagePaths, type Shown } from "../console/page-paths.ts";
import { eventually } from "../support/index.ts";
import { inspect, PHONE, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import { askOperatorApi, readerOf, sell, signInTo } from "./console-people.ts";

let product: BrowserHarness;
let shown: Shown;
beforeAll(async () => {
  product = await startBrowserHarness();
  shown = await makeOfEachKind();
});
afterAll(() => product?.stop());

/** One thing of each kind, for the page about it. */
async function makeOfEachKind(): Promise<Required<Shown>> {
  const { accountId: account, merchants } = product.file;
  const { merchantId } = merchants[0]!;
  const { paymentId: payment } = await sell(product);
  const asked = { amount: 2, currency: "TRY" };
  const { paymentId: refund } = await product.merchantApi("POST", `/api/payment/${payment}/refund`, asked);
  const { paymentLinkId: link } = await product.createPaymentLink();
  const dispute = await openDispute(payment);
  const taken = await upload();
  const ofFile = "select difference_id as id from settlement.difference where import_id = $1";
  const ofMerchant = "select event_id as id from webhooks.event where merchant_id = $1 limit 1";
  return {
    merchantId,
    payment,
    refund: refund!,
    event: await idOf(ofMerchant, merchantId),
    link,
    dispute,
    import: taken,
    difference: await idOf(ofFile, taken),
    account,
  };
}

/** The id of a row that a service inserts soon. */
const idOf = async (query: string, value: string) =>
  await eventually(async () => (await product.query<{ id: string }>(query, [value]))[0]!.id);

async function openDispute(paymentId: string): Promise<string> {
  const opened = await askOperatorApi(product, "alice", {
    method: "POST",
    path: `/operator/payments/${paymentId}/chargebacks`,
    body: { amount: 4, currency: "TRY", reasonCode: "4853" },
  });
  expect(opened.status).toBe(201);
  return ((await opened.json()) as { chargebackId: string }).chargebackId;
}

/** A bank's file with a line that names nothing of ours. @returns the import's id. */
async function upload(): Promise<string> {
  const body = new FormData();
  body.set("file", new Blob([genericFile(genericLine({ gross: "39.00" }))]), "narrow.csv");
  const path = `/operator/settlements?accountId=${product.file.accountId}&mapping=generic`;
  const sent = await askOperatorApi(product, "alice", { method: "POST", path, body });
  expect(sent.status).toBe(202);
  return ((await sent.json()) as { importId: string }).importId;
}

test.each([
  { name: "alice", person: "operator", locale: "en-GB" },
  { name: "alice", person: "operator", locale: "tr-TR" },
  { name: "mina", person: "staff", locale: "en-GB" },
  { name: "mina", person: "staff", locale: "tr-TR" },
] as const)("every page of $person fits on a telephone ($locale)", async ({ name, person, locale }) => {
  const page = await signInTo(product, name, "/", { ...readerOf(PHONE), locale });
  const language = locale.slice(0, 2);
  for (const [route, path] of pagePaths(person, shown)) {
    expect(path, route).toBeDefined();
    const answer = await page.goto(product.file.consoleUrl + path!);
    expect(answer!.status(), path).toBe(200);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    await inspect(page, `narrow-${person}-${language}${route.replaceAll(/[/:]+/g, "-")}`);
  }
});
