import { randomUUID } from "node:crypto";
import { readSession, type CheckoutPage, testIdOf } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { keyRingSetting } from "@holdfast/service-runtime";
import { serveCommands } from "@holdfast/tests/support";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { http, type HttpAnswer } from "../../../test/http-client.ts";
import { startTestCheckouts, pageOf } from "../../../test/test-checkouts.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../../test/test-gateway.ts";
import { recordOf } from "../../../test/test-payments.ts";
import { createGenerateSession } from "../three-ds/generate-session.ts";
import { createSignedSessions } from "../three-ds/signed-session.ts";
import { PAGE_TEXTS } from "./page-texts.ts";

let gateway: TestGateway;
let checkouts: Awaited<ReturnType<typeof startTestCheckouts>>;
let merchant: TestMerchant;
beforeAll(async () => {
  gateway = await startTestGateway({ PUBLIC_URL: "https://pay.example.test" });
  checkouts = await startTestCheckouts(gateway.nats.url);
  merchant = await gateway.createMerchant({
    name: `<b>"A" & shop</b>`,
    commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
  });
});
afterAll(async () => {
  await checkouts.stop();
  await gateway.stop();
});

const PAN = "4111111111111111";
const CARD = { pan: PAN, cardHolderName: "Ada Lovelace", expiry: "12/30", cvv: "937", installmentCount: "3" };

const get = (path: string, headers: Record<string, string> = {}) =>
  http(gateway.ports.public, { path, headers });

/** Puts a checkout in front of the page. */
function show(change: Partial<CheckoutPage> = {}): CheckoutPage {
  const page = pageOf({ merchantId: merchant.merchantId, ...change });
  checkouts.answers.view = async () => ({ outcome: "done", result: page });
  return page;
}

const pathOf = ({ checkoutId }: CheckoutPage) => `/checkout/${checkoutId}`;

async function formOf(page: CheckoutPage): Promise<{ paymentId: string; token: string }> {
  const { text } = await get(pathOf(page));
  const value = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(text)![1]!;
  return { paymentId: value("paymentId"), token: value("token") };
}

function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  return http(gateway.ports.public, {
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
}
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const BY_SCRIPT = { accept: "application/json" };

test("every page forbids whatever it does not need, and is not kept, framed or told on", async () => {
  for (const page of [show(), show({ status: "EXPIRED" }), show({ status: "COMPLETED" })]) {
    checkouts.answers.view = async () => ({ outcome: "done", result: page });
    const { status, headers, text } = await get(pathOf(page));
    expect(status).toBe(200);
    const policy = headers["content-security-policy"]!;
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!;
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "report-to page",
      "report-uri /csp-reports",
    ]);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "strict-transport-security": "max-age=31536000",
      "integrity-policy": "blocked-destinations=(script), endpoints=(page)",
      "reporting-endpoints": 'page="/csp-reports"',
    });
    expect(headers).not.toHaveProperty("set-cookie");
    expect(text.match(/<script|<link/g)).toHaveLength(2);
    expect(text).not.toMatch(/<[^>]+ (style|on\w+)=/);
  }
});

test.each([
  ["en", "This is a test, and no payment is taken. Please do not enter a real card."],
  ["tr", "Bu bir test sayfasıdır; ödeme alınmaz. Lütfen gerçek bir kartın bilgilerini girmeyin."],
])("a page of test mode says in %s that it is one, and none of live mode does", async (language, text) => {
  for (const status of ["OPEN", "COMPLETED"] as const) {
    const page = show({ status });
    const shown = async (merchantId: string) => {
      checkouts.answers.view = async () => ({ outcome: "done", result: { ...page, merchantId } });
      return (await get(`${pathOf(page)}?lang=${language}`)).text;
    };
    expect(await shown(testIdOf(page.merchantId))).toContain(text);
    expect(await shown(page.merchantId)).not.toContain(text);
  }
});

test("a browser's report is noted, whatever state the pages are in", async () => {
  checkouts.answers.view = async () => ({ outcome: "in_doubt" });
  const report = { "effective-directive": "script-src-elem", "blocked-uri": "https://evil.example/a.js" };
  const answer = await http(gateway.ports.public, {
    method: "POST",
    path: "/csp-reports",
    headers: { "content-type": "application/csp-report" },
    body: JSON.stringify({ "csp-report": report }),
  });
  expect(answer).toMatchObject({ status: 204, text: "" });
  expect(gateway.lines).toContainEqual(
    expect.objectContaining({ fault: "script-src-elem", reason: "https://evil.example" }),
  );
});

test("no two pages have one nonce", async () => {
  const page = show();
  const [first, second] = [await get(pathOf(page)), await get(pathOf(page))];
  expect(first.headers["content-security-policy"]).not.toBe(second.headers["content-security-policy"]);
});

test("script and style come from us, under the digest the page names, and may be kept for ever", async () => {
  const { text } = await get(pathOf(show()));
  for (const [, path, integrity] of text.matchAll(/(?:href|src)="([^"]+)"\s+integrity="([^"]+)"/g)) {
    const asset = await get(path!);
    expect(asset).toMatchObject({
      status: 200,
      headers: { "cache-control": expect.stringContaining("immutable") },
    });
    const digest = await crypto.subtle.digest("SHA-384", new TextEncoder().encode(asset.text));
    expect(integrity).toBe(`sha384-${Buffer.from(digest).toString("base64")}`);
  }
  expect((await get("/checkout/assets/checkout.0000000000000000.js")).status).toBe(404);
});

test("names are text, whatever stands in them", async () => {
  const { text } = await get(pathOf(show({ orderId: "<img src=x onerror=alert(1)>" })));
  expect(text).toContain("&lt;b&gt;&quot;A&quot; &amp; shop&lt;/b&gt;");
  expect(text).not.toContain("<img");
});

test("what does not exist, is no UUID, or is asked for by another site is one page", async () => {
  const page = show();
  const form = await formOf(page);
  expect(
    await post(`${pathOf(page)}/pay`, { ...form, ...CARD }, { "sec-fetch-site": "cross-site" }),
  ).toMatchObject({
    status: 404,
  });
  checkouts.answers.view = async () => ({ outcome: "problem", code: "checkout_not_found" });
  for (const path of [`/checkout/${randomUUID()}`, "/checkout/x"]) {
    expect(await get(path)).toMatchObject({
      status: 404,
      headers: { "content-type": "text/html; charset=utf-8" },
    });
  }
  expect(checkouts.paid).toEqual([]);
});

test("a browser gets a page at every address, and a program what every listener answers", async () => {
  const browser = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "accept-language": "tr" };
  for (const path of ["/", "/anything", "/3ds/challenge"]) {
    const page = await get(path, browser);
    expect(page, path).toMatchObject({
      status: 404,
      headers: { "content-type": "text/html; charset=utf-8" },
    });
    expect(page.text).toContain(PAGE_TEXTS.tr.notFoundHeading);
    expect(await get(path, { accept: "*/*" })).toMatchObject({
      status: 404,
      headers: { "content-type": "application/problem+json" },
    });
  }
});

test("what happens to card details is said where a card is asked for, and nowhere else", async () => {
  const says = async (path: string) => (await get(path)).text.includes(PAGE_TEXTS.en.secure);
  expect(await says(pathOf(show()))).toBe(true);
  expect(await says(pathOf(show({ status: "EXPIRED" })))).toBe(false);
  expect(await says("/checkout/x")).toBe(false);
});

test("the card is sealed for the form's payment, and the merchant pays by its plan", async () => {
  const page = show();
  const form = await formOf(page);
  checkouts.answers.pay = async () => ({ outcome: "done", result: { ...page, status: "COMPLETED" } });
  const answer = await post(`${pathOf(page)}/pay?lang=tr`, { ...form, ...CARD });
  expect(answer).toMatchObject({ status: 303, headers: { location: `${pathOf(page)}?lang=tr` } });

  const { context, payload } = checkouts.paid.pop()!;
  expect(context.merchant).toEqual({
    merchantId: merchant.merchantId,
    commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
  });
  expect(payload).toMatchObject({
    checkoutId: page.checkoutId,
    paymentId: form.paymentId,
    cardHolderName: "Ada Lovelace",
    installmentCount: 3,
    requestIp: "127.0.0.1",
  });
  expect(JSON.stringify(payload)).not.toContain(PAN);
  const binding = { paymentId: form.paymentId, merchantId: merchant.merchantId };
  expect(gateway.cardOpener.open(payload.card, binding).reveal()).toEqual({
    pan: PAN,
    expiryMonth: "12",
    expiryYear: "30",
    cvv: "937",
  });
});

test("a form without our token pays, asks and cancels nothing", async () => {
  const page = show();
  const form = await formOf(page);
  const other = await formOf(show());
  checkouts.answers.view = async () => ({ outcome: "done", result: page });
  for (const forged of [{ ...form, token: "x" }, { ...form, paymentId: randomUUID() }, other, {}]) {
    for (const action of ["pay", "cancel", "card"]) {
      const answer = await post(`${pathOf(page)}/${action}`, { ...CARD, bin: "411111", ...forged });
      expect(answer).toMatchObject({
        status: 303,
        headers: { location: `${pathOf(page)}?lang=en&faults=form.stale` },
      });
    }
  }
  expect(checkouts.paid).toEqual([]);
  expect(checkouts.cancelled).toEqual([]);
});

test("a form with faults is sent back by their names, never with what was typed", async () => {
  const page = show();
  const bad = { ...(await formOf(page)), ...CARD, pan: "4111111111111112", cvv: "" };
  const faults = ["pan.luhn", "cvv.required"];
  const answer = await post(`${pathOf(page)}/pay`, bad);
  expect(answer).toMatchObject({
    status: 303,
    headers: { location: `${pathOf(page)}?lang=en&faults=${faults.join(",")}` },
  });
  expect(await post(`${pathOf(page)}/pay`, bad, BY_SCRIPT)).toMatchObject({ status: 200, body: { faults } });
  const { text } = await get(answer.headers["location"]!);
  expect(text).toContain("This card number is not valid.");
  expect(text).not.toContain("411111");
  expect((await get(`${pathOf(page)}?faults=<script>,pan.x,a.b`)).text).not.toContain("&lt;script");
  expect(checkouts.paid).toEqual([]);
});

test.each([
  [{ outcome: "not_started" } as const, { faults: ["form.busy"] }],
  [
    { outcome: "problem", code: "installments_not_allowed" } as const,
    { faults: ["installmentCount.invalid"] },
  ],
  [{ outcome: "problem", code: "validation_failed" } as const, { faults: ["pan.in_checkout"] }],
  [{ outcome: "problem", code: "internal_error" } as const, { faults: ["form.busy"] }],
])("%j leaves the same form to be sent again", async (reply, body) => {
  const page = show();
  checkouts.answers.pay = async () => reply;
  const answer = await post(`${pathOf(page)}/pay`, { ...(await formOf(page)), ...CARD }, BY_SCRIPT);
  expect(answer).toMatchObject({ status: 200, body });
  expect(answer.body).not.toHaveProperty("form");
  checkouts.paid.length = 0;
});

describe("a checkout whose buyers pay for installments", () => {
  const priced = () => show({ installmentPrices: true, installmentOptions: [1, 3, 6] });
  const mismatch = {
    outcome: "problem",
    code: "installment_total_mismatch",
    extra: { installmentTotal: 12.97 },
  } as const;

  test("shows no amount before the card is known, and then the total of each number", async () => {
    const page = priced();
    const { text } = await get(pathOf(page));
    expect(text).toContain('value="3"');
    expect(text).toContain("3 installments");
    expect(text).not.toContain("4.1");
    checkouts.answers.installments = [
      { count: 1, totalMinor: "1250" },
      { count: 3, totalMinor: "1297" },
    ];
    const form = await formOf(page);
    const { body } = await post(`${pathOf(page)}/card`, { ...form, bin: "41111111" }, BY_SCRIPT);
    expect(body).toMatchObject({
      installments: [
        { count: 1, value: "1" },
        { count: 3, value: "3:1297", label: "3\u00a0×\u00a0TRY\u00a04.32" },
      ],
    });
  });

  test("sends on the total that the buyer saw", async () => {
    const page = priced();
    checkouts.answers.pay = async () => ({ outcome: "done", result: { ...page, status: "COMPLETED" } });
    const form = { ...(await formOf(page)), ...CARD, installmentCount: "3:1297" };
    await post(`${pathOf(page)}/pay`, form, BY_SCRIPT);
    expect(checkouts.paid.pop()!.payload).toMatchObject({
      installmentCount: 3,
      installmentTotalMinor: "1297",
    });
  });

  test("is shown again with the present total where the form has another one", async () => {
    const page = priced();
    checkouts.answers.pay = async () => mismatch;
    const form = { ...(await formOf(page)), ...CARD };
    const { body } = await post(`${pathOf(page)}/pay`, form, BY_SCRIPT);
    expect(body).toEqual({ faults: ["installmentCount.price"] });
    const answer = await post(`${pathOf(page)}/pay`, form);
    const location = `${pathOf(page)}?lang=en&faults=installmentCount.price&price=3:1297`;
    expect(answer).toMatchObject({ status: 303, headers: { location } });
    const { text } = await get(location);
    expect(text).toMatch(/value="3:1297"\s+checked/);
    expect(text).toContain("12.97");
    expect(text).toContain("You have not been charged");
    expect((await get(`${pathOf(page)}?price=3:<b>`)).text).not.toContain('checked value="3');
    checkouts.paid.length = 0;
  });

  test("says what its payment charges, while it waits and on the receipt", async () => {
    const paid = { ...recordOf({ paymentId: randomUUID(), orderId: "order-1" }), installmentTotal: 12.97 };
    const waits = show({ installmentPrices: true, payment: { ...paid, status: "ENROLLED" } });
    expect((await get(pathOf(waits))).text).toContain("12.97");
    const receipt = show({ installmentPrices: true, status: "COMPLETED", payment: paid });
    expect((await get(pathOf(receipt))).text).toContain("12.97");
    const failed = show({ installmentPrices: true, payment: { ...paid, status: "FAILED" } });
    const { text } = await get(pathOf(failed));
    expect(text).toContain("12.50");
    expect(text).not.toContain("12.97");
  });
});

test("an outcome that is in doubt leads to the page, which shows how it stands", async () => {
  const page = show();
  checkouts.answers.pay = async () => ({ outcome: "in_doubt" });
  const answer = await post(`${pathOf(page)}/pay`, { ...(await formOf(page)), ...CARD }, BY_SCRIPT);
  expect(answer.body).toEqual({ next: `${pathOf(page)}?lang=en` });
  checkouts.paid.length = 0;
});

test("a decline comes with the form for the next card, a challenge with the way there", async () => {
  const page = show();
  const form = { ...(await formOf(page)), ...CARD };
  const payment = { ...recordOf({ paymentId: form.paymentId, orderId: "order-1" }), resultCode: "51" };
  checkouts.answers.pay = async () => ({
    outcome: "done",
    result: { ...page, attemptsLeft: 4, payment: { ...payment, status: "FAILED" } },
  });
  const declined = await post(`${pathOf(page)}/pay`, form, BY_SCRIPT);
  expect(declined.body).toMatchObject({
    text: expect.stringContaining("insufficient funds or credit"),
    form: {},
  });
  const next = declined.body["form"] as { paymentId: string; token: string };
  expect(next.paymentId).not.toBe(form.paymentId);
  expect(await post(`${pathOf(page)}/cancel`, next)).toMatchObject({
    headers: { location: `${pathOf(page)}?lang=en` },
  });

  const challengeUrl = "https://pay.example.test/3ds/x";
  checkouts.answers.pay = async () => ({
    outcome: "done",
    result: { ...page, challengeUrl, payment: { ...payment, status: "ENROLLED" } },
  });
  expect((await post(`${pathOf(page)}/pay`, form, BY_SCRIPT)).body).toEqual({ next: challengeUrl });
  expect(await post(`${pathOf(page)}/pay`, form)).toMatchObject({
    status: 303,
    headers: { location: challengeUrl },
  });
  checkouts.paid.length = 0;
});

test("a suspended merchant takes no payment", async () => {
  const suspended = await gateway.createMerchant();
  const page = show({ merchantId: suspended.merchantId });
  const form = await formOf(page);
  const superuser = new Client({ connectionString: gateway.database.superuserUrl });
  await superuser.connect();
  await superuser.query("update gateway.merchant set status = 'SUSPENDED' where merchant_id = $1", [
    suspended.merchantId,
  ]);
  await superuser.end();
  const answer = await post(`${pathOf(page)}/pay`, { ...form, ...CARD }, BY_SCRIPT);
  expect(answer.body).toEqual({ faults: ["form.busy"] });
  expect(checkouts.paid).toEqual([]);
});

test.each([
  ["no form", 415, { headers: { "content-type": "text/plain" }, body: "pan=1" }],
  ["compressed", 415, { headers: { ...FORM, "content-encoding": "gzip" }, body: "pan=1" }],
  ["too large", 413, { headers: FORM, body: "a".repeat(33_000) }],
])("a body that is %s is the client's fault (%i), whatever it asks for", async (_case, status, request) => {
  for (const path of ["card", "pay", "cancel"]) {
    const to = { method: "POST", path: `/checkout/${randomUUID()}/${path}`, ...request };
    expect(await http(gateway.ports.public, to)).toMatchObject({
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      },
      text: expect.stringContaining("could not be read"),
    });
    const byScript = { ...to, headers: { ...to.headers, ...BY_SCRIPT } };
    expect(await http(gateway.ports.public, byScript)).toMatchObject({
      status,
      body: { faults: ["form.busy"] },
    });
  }
});

test("a bus that is silent is told as trouble, in HTML, with nothing of the inside", async () => {
  checkouts.answers.view = async () => ({ outcome: "not_started" });
  const answer = await get(`/checkout/${randomUUID()}`);
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
  expect(answer.text).toContain("Please try again in a moment");
});

test("checkouts and challenges share the places of their listener; without one both ask to come again", async () => {
  const small = await startTestGateway({ LOCAL_REQUESTS_IN_FLIGHT_MAX: "1" });
  const held = await startTestCheckouts(small.nats.url);
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  held.answers.view = async () => {
    asked.resolve();
    await release.promise;
    return { outcome: "problem", code: "checkout_not_found" };
  };
  const challenges = await serveCommands(small.nats.url, "payments", [
    handler(readSession, async () => ({ outcome: "problem", code: "three_ds_session_not_found" })),
  ]);
  const keys = keyRingSetting().parse(small.envOf("gateway-public").THREE_DS_STATE_KEYS);
  const sessions = createSignedSessions(keys, { lifetimeMs: 60_000 });
  const { pageUrl } = createGenerateSession(sessions, "https://pay.example.test")(randomUUID());
  const underway = http(small.ports.public, { path: `/checkout/${randomUUID()}` });
  await asked.promise;
  for (const path of [`/checkout/${randomUUID()}`, new URL(pageUrl).pathname]) {
    const answer = await http(small.ports.public, { path });
    expect(answer).toMatchObject({ status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
  }
  release.resolve();
  expect((await underway).status).toBe(404);
  await Promise.all([held.stop(), challenges.stop()]);
  await small.stop();
});

test("the log has neither the card nor the address that can pay", async () => {
  const page = show();
  checkouts.answers.pay = async () => ({ outcome: "done", result: { ...page, status: "COMPLETED" } });
  await post(`${pathOf(page)}/pay`, { ...(await formOf(page)), ...CARD });
  const log = JSON.stringify(gateway.lines);
  expect(log).toContain("/checkout/{checkoutId}/pay");
  expect(log).not.toContain(page.checkoutId);
  expect(log).not.toContain(PAN);
});

test("who asks for pages too often is told to wait, on all of them, and nobody else is", async () => {
  const limited = await startTestGateway({
    PUBLIC_URL: "https://pay.example.test",
    PAGE_REQUESTS_PER_MINUTE_PER_IP: "2",
    TRUSTED_PROXIES: "127.0.0.0/8",
  });
  const visit = (path: string, from: string) =>
    http(limited.ports.public, { path, headers: { "x-forwarded-for": from } });
  await visit(`/checkout/${randomUUID()}`, "203.0.113.7");
  await visit("/3ds/challenge/x", "203.0.113.7");
  for (const path of [`/checkout/${randomUUID()}`, "/3ds/challenge/x"]) {
    const { status, headers, text } = await visit(path, "203.0.113.7");
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain("<h1");
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
    expect((await visit(path, "203.0.113.8")).status).not.toBe(429);
  }
  await limited.stop();
});

test("buyers of a checkout go on paying while their address asks for too many pages, up to the checkout's own limit", async () => {
  const limited = await startTestGateway({
    PUBLIC_URL: "https://pay.example.test",
    PAGE_REQUESTS_PER_MINUTE_PER_IP: "2",
    PAGE_REQUESTS_PER_MINUTE_PER_CHECKOUT: "3",
  });
  const others = await startTestCheckouts(limited.nats.url);
  onTestFinished(async () => {
    await others.stop();
    await limited.stop();
  });
  const { merchantId } = await limited.createMerchant();
  const page = pageOf({ merchantId });
  others.answers.view = async (checkoutId) =>
    checkoutId === page.checkoutId
      ? { outcome: "done", result: page }
      : { outcome: "problem", code: "checkout_not_found" };
  const visit = async (path: string) => (await http(limited.ports.public, { path })).status;
  expect(await visit(pathOf(page))).toBe(200);
  const unknown = () => visit(`/checkout/${randomUUID()}`);
  expect([await unknown(), await unknown(), await unknown()]).toEqual([404, 429, 429]);
  const own = Array.from({ length: 4 }, () => visit(pathOf(page)));
  expect((await Promise.all(own)).toSorted()).toEqual([200, 200, 200, 429]);
});
