// Bounds of a merchant's staff, in real browsers: another merchant's things, another role's work, forms that are not
// theirs.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { DESK, inspectInBothLights, startBrowserHarness, type BrowserHarness } from "./browser-harness.ts";
import {
  alertOf,
  askOperatorApi,
  cookiesOf,
  EVIL,
  postForm,
  READERS,
  readerOf,
  requestRefund,
  sell,
  signInTo,
} from "./console-people.ts";

let product: BrowserHarness;
let consoleUrl: string;
let own: string;
beforeAll(async () => {
  product = await startBrowserHarness();
  ({ consoleUrl } = product.file);
  own = `/merchants/${product.file.merchants[0]!.merchantId}`;
});
afterAll(() => product?.stop());

const signIn = (name: string, path?: string, reader?: Parameters<typeof signInTo>[3]) =>
  signInTo(product, name, path, reader);

/** A thing of each kind that has a page, of the sandbox's merchant. */
async function makeThings() {
  const { paymentId, orderId } = await sell(product);
  const refundId = await requestRefund(product, paymentId, { amount: 2 });
  const { paymentLinkId } = await product.createPaymentLink({ description: EVIL.slice(0, 80) });
  let eventId = "";
  await eventually(async () => {
    const rows = await product.query<{ event_id: string }>("select event_id from webhooks.event limit 1");
    expect(rows).toHaveLength(1);
    eventId = rows[0]!.event_id;
  });
  return { paymentId, orderId, refundId, paymentLinkId, eventId };
}

type Things = Awaited<ReturnType<typeof makeThings>>;

/** Every page of staff. */
const pagesOf = ({ paymentId, orderId, refundId, paymentLinkId, eventId }: Things) => ({
  overview: "/",
  search: `/search?q=${orderId}`,
  payments: "/payments",
  payment: `/payments/${paymentId}`,
  refunds: "/refunds",
  refund: `/refunds/${refundId}`,
  deliveries: "/deliveries",
  "deliveries-empty": "/deliveries?status=failed&livemode=false",
  delivery: `/deliveries/${eventId}`,
  links: "/payment-links",
  "links-empty": "/payment-links?livemode=false",
  link: `/payment-links/${paymentLinkId}`,
  statements: "/settlement",
  keys: own,
  "keys-test": `${own}?livemode=false`,
});

test("another merchant's things, and pages that are for operators, are pages that are not found", async () => {
  const things = await makeThings();
  // The records belong to another merchant from now on.
  const other = randomUUID();
  const page = await signIn("mina");
  const made = await askOperatorApi(product, "omer", {
    method: "POST",
    path: "/operator/merchants",
    body: { name: "Other" },
  });
  const { merchantId, apiKey, apiSecret } = (await made.json()) as Record<string, string>;
  const sold = await fetch(`${product.file.gatewayUrl}/api/payment-links`, {
    method: "POST",
    headers: { "X-API-KEY": apiKey!, "X-API-SECRET": apiSecret!, "Content-Type": "application/json" },
    body: JSON.stringify({ orderId: "other-1", description: "Other", amount: 3, currency: "TRY" }),
  });
  const { paymentLinkId } = (await sold.json()) as Record<string, string>;
  for (const path of [
    `/payments/${other}`,
    `/refunds/${other}`,
    `/deliveries/${other}`,
    `/deliveries?merchantId=${merchantId}`,
    `/payment-links/${paymentLinkId}`,
    `/payment-links/${paymentLinkId}/code.svg`,
    `/merchants/${merchantId}`,
    `/settlement?merchantId=${merchantId}`,
    "/audit",
    "/unresolved",
    `/settlement/imports/${other}`,
  ]) {
    const answer = await page.goto(consoleUrl + path);
    expect(answer!.status(), path).toBe(404);
    expect(await page.getByRole("alert").count(), path).toBe(1);
    expect(await page.getByRole("navigation", { name: "Main" }).count(), path).toBe(1);
  }
  await page.goto(consoleUrl);
  for (const [path, form] of [
    [`/merchants/${merchantId}/add-key`, { keyMode: "true" }],
    [`/merchants/${merchantId}/revoke-key`, { apiKey: apiKey! }],
    [`/merchants/${merchantId}/add-webhook`, { url: "https://shop.example/hook" }],
    [`/payment-links/${paymentLinkId}/disable`, {}],
    ["/deliveries/redeliver", { merchantId: merchantId!, since: "2026-01-01T00:00:00" }],
    [`/deliveries/${other}/redeliver`, {}],
    [`/payments/${other}/refund`, { amount: "1", reason: "not mine" }],
  ] as const)
    expect((await postForm(page, path, form)).status, path).toBe(404);
  const still = () =>
    fetch(`${product.file.gatewayUrl}/api/payments`, {
      headers: { "X-API-KEY": apiKey!, "X-API-SECRET": apiSecret! },
    });
  await eventually(async () => expect((await still()).status).toBe(200));
  // The pages of their own merchant are there.
  for (const path of Object.values(pagesOf(things)))
    expect((await page.goto(consoleUrl + path))!.status(), path).toBe(200);
});

test("who only reads is offered nothing, and what they send is refused", async () => {
  const things = await makeThings();
  const page = await signIn("selim");
  for (const path of Object.values(pagesOf(things))) {
    await page.goto(consoleUrl + path);
    const buttons = await page.getByRole("main").getByRole("button").allInnerTexts();
    expect(
      buttons.filter((name) => !["Filter", "Compare", "Copy"].includes(name)),
      path,
    ).toEqual([]);
    expect(await page.getByText("it needs the role").count(), path).toBe(0);
  }
  await page.goto(consoleUrl);
  const { paymentId, refundId, paymentLinkId, eventId } = things;
  const link = {
    orderId: "x",
    description: "x",
    amount: "1",
    currency: "TRY",
    use: "SINGLE",
    expiresInSeconds: "86400",
  };
  for (const [path, form] of [
    [`/payments/${paymentId}/refund`, { amount: "1", reason: "no" }],
    [`/payments/${paymentId}/cancel`, {}],
    [`/refunds/${refundId}/approve`, {}],
    [`/deliveries/${eventId}/redeliver`, {}],
    ["/deliveries/redeliver", { since: "2026-01-01T00:00:00" }],
    ["/payment-links/create", link],
    [`/payment-links/${paymentLinkId}/disable`, {}],
    [`${own}/add-key`, { keyMode: "true" }],
    [`${own}/add-webhook`, { url: "https://shop.example/hook" }],
    [`${own}/suspend`, {}],
    [`/settlement/differences/${randomUUID()}/close`, { decision: "NOT_OURS", reason: "no" }],
  ] as const)
    expect((await postForm(page, path, form)).status, path).toBe(403);
});

test("another site's form, a stale token and a form after the logout make no link", async () => {
  const page = await signIn("mina", "/payment-links");
  const orderId = `none-${randomUUID().slice(0, 8)}`;
  const form = {
    orderId,
    description: "None",
    amount: "3",
    currency: "TRY",
    use: "SINGLE",
    expiresInSeconds: "86400",
  };
  const send = async (more: Record<string, string>, headers?: Record<string, string>) =>
    (await postForm(page, "/payment-links/create", { ...form, ...more }, headers)).status;
  expect(await send({}, { Origin: "https://evil.example" })).toBe(403);
  expect(await send({}, { "Sec-Fetch-Site": "cross-site" })).toBe(403);
  expect(await send({ formToken: "stale" })).toBe(403);
  const cookie = await cookiesOf(page);
  const formToken = await page.locator('input[name="formToken"]').first().inputValue();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${consoleUrl}/logged-out`);
  const late = await fetch(`${consoleUrl}/payment-links/create`, {
    method: "POST",
    headers: { Origin: consoleUrl, Cookie: cookie },
    body: new URLSearchParams({ ...form, formToken, key: randomUUID() }),
    redirect: "manual",
  });
  expect(late.status).toBe(303);
  expect(late.headers.get("location")).toBe("/login?return=%2Fpayment-links");
  await page.goBack();
  expect(await page.getByRole("table").count()).toBe(0);
  expect(await product.query("select 1 from payments.payment_link where order_id = $1", [orderId])).toEqual(
    [],
  );
});

test("10 000 characters and markup in every field are refused and not lost", async () => {
  const page = await signIn("mina", "/payment-links");
  const long = "ğ".repeat(10_000);
  for (const field of ["orderId", "description", "currency"]) {
    const good = { orderId: "x", description: "x", amount: "1", currency: "TRY", use: "SINGLE" };
    const sent = { ...good, expiresInSeconds: "86400", [field]: `${EVIL}${long}` };
    const answer = await postForm(page, "/payment-links/create", sent);
    expect(answer.status, field).toBe(400);
    const shown = await answer.text();
    expect(shown, field).toContain(long);
    expect(shown, field).not.toContain(EVIL);
    expect(shown, field).toContain('role="alert"');
  }
  const url = await postForm(page, `${own}/add-webhook`, { url: `${EVIL}${long}` });
  expect(url.status).toBe(400);
  expect(await url.text()).toContain(long);
});

test("whose access is withdrawn gets a page that says so, at the next click", async () => {
  const page = await signIn("mina", "/deliveries");
  const path = "/operator/refused-operators";
  const body = { subject: "mina", reason: "left the company" };
  expect((await askOperatorApi(product, "bora", { method: "POST", path, body })).status).toBeLessThan(300);
  try {
    expect((await page.goto(`${consoleUrl}/payment-links`))!.status()).toBe(403);
    expect(await alertOf(page)).toContain("Your access was withdrawn");
  } finally {
    await askOperatorApi(product, "bora", { method: "DELETE", path: `${path}/mina` });
  }
});

test("staff's pages speak Turkish", async () => {
  const page = await signIn("selim", "/payment-links", { ...readerOf(DESK), locale: "tr-TR" });
  for (const path of Object.values(pagesOf(await makeThings()))) {
    await page.goto(consoleUrl + path);
    const ours = await page
      .locator("main :is(h1, h2, h3, th, dt, label, button, caption, summary, .quiet)")
      .allInnerTexts();
    expect(ours.join(" "), path).not.toMatch(/\b(the|Merchant|Filter|Status|Number|Open|Endpoint|Link)\b/);
  }
});

/** Fifteen pages, each looked at by axe: on a busy machine a page takes seconds. */
const PAGES_TIMEOUT_MS = 600_000;

test.each(READERS)(
  "every page of staff can be read and operated ($name)",
  async ({ name, reader }) => {
    const pages = pagesOf(await makeThings());
    const page = await signIn("mina", "/", reader);
    for (const [title, path] of Object.entries(pages)) {
      expect((await page.goto(consoleUrl + path))!.status(), path).toBe(200);
      expect(await page.getByRole("banner").count()).toBe(1);
      expect(await page.getByRole("main").getByRole("heading", { level: 1 }).count()).toBe(1);
      expect(await page.locator("main script").count(), path).toBe(0);
      await inspectInBothLights(page, `console-staff-${title}-${name}`);
    }
  },
  PAGES_TIMEOUT_MS,
);
