import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageOf, startListSystem, type ListSystem, type Shop } from "../lists/list-system.ts";
import { open, send } from "./follow-forms.ts";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  startTestBank,
  type LedgerReceiver,
  type TestBank,
} from "../support/index.ts";

// A merchant with a key of each mode, at the gateways, with every service behind them.
let system: ListSystem;
let dir: string;
let testBank: TestBank;
let receivers: { live: LedgerReceiver; test: LedgerReceiver };
let pagesPort: number;
let merchantId: string;
let shops: Record<Mode, Shop>;

type Mode = "live" | "test";
const MODES: readonly Mode[] = ["live", "test"];
const other = (mode: Mode): Mode => (mode === "live" ? "test" : "live");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-test-mode-"));
  const certificates = await makeTestCertificates();
  const [live, tested] = await Promise.all([
    startLedgerReceiver(certificates),
    startLedgerReceiver(certificates),
  ]);
  receivers = { live, test: tested };
  testBank = await startTestBank(dir);
  system = await startListSystem({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACCOUNT_CHANGES_TWO_PEOPLE: "false",
    WEBHOOK_CA_FILE: certificates.caFile,
  });
  await system.start("webhook-dispatcher");
  pagesPort = (await system.start("gateway-public")).port;
  await operate("POST", "/operator/acquirer-accounts", {
    protocol: "sim",
    name: "Test mode",
    livemode: false,
    default: true,
    currencies: ["TRY"],
    settings: { url: testBank.acquirer.url },
    secrets: {},
  });
  const shop = await system.openShop();
  merchantId = shop.merchantId;
  shops = { live: shop, test: await testShop() };
  for (const mode of MODES)
    await operate("PUT", `/operator/merchants/${merchantId}/webhook?livemode=${mode === "live"}`, {
      url: receivers[mode].url,
    });
});
afterAll(async () => {
  await system.close();
  await Promise.all([testBank.acquirer.close(), ...MODES.map((mode) => receivers[mode].close())]);
  await rm(dir, { recursive: true });
});

async function operate(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { status, text } = await system.operate(method, path, { ...(body && { body }), headers });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

async function testShop(): Promise<Shop & { apiKey: string }> {
  const made = await operate("POST", `/operator/merchants/${merchantId}/credentials`, { livemode: false });
  const { apiKey, apiSecret } = made as Record<string, string>;
  return {
    merchantId,
    apiKey: apiKey!,
    headers: { "x-api-key": apiKey!, "x-api-secret": apiSecret! },
  };
}

const orderOf = (change: object = {}) => ({
  orderId: `order-${randomUUID()}`,
  amount: 12.5,
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: "30",
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
  ...change,
});

async function post(mode: Mode, path: string, body: object, headers: Record<string, string> = {}) {
  const shop = { merchantId, headers: { ...shops[mode].headers, ...headers } };
  const { status, text } = await system.post(shop, path, body);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

async function get(mode: Mode, path: string) {
  const { status, text } = await system.get(shops[mode], path);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

/** A sale that the bank has approved. @returns its id. */
async function pay(mode: Mode): Promise<string> {
  const { status, body } = await post(mode, "/api/payment", orderOf());
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { status: "SUCCESS", livemode: mode === "live" },
  });
  return String(body["paymentId"]);
}

const bankOf = (mode: Mode) => (mode === "live" ? system.bank! : testBank);
const isAt = async (mode: Mode, id: string) =>
  (await bankOf(mode).wholeLedger()).some(({ reference }) => reference.startsWith(id));

test("a key says its mode, and so does the list of a merchant's keys", async () => {
  const { credentials } = (await operate("GET", `/operator/merchants/${merchantId}`)) as {
    credentials: { apiKey: string; livemode: boolean }[];
  };
  const modes = credentials.map(({ apiKey, livemode }) => [apiKey.slice(0, 8), livemode]);
  expect(modes).toEqual([
    ["hk_live_", true],
    ["hk_test_", false],
  ]);
});

describe.each(MODES)("in %s mode", (mode) => {
  test("a payment reaches the account of its mode, and no look-up, list or change of the other mode reaches it", async () => {
    const paymentId = await pay(mode);
    expect([await isAt(mode, paymentId), await isAt(other(mode), paymentId)]).toEqual([true, false]);
    expect(await get(mode, `/api/payment/${paymentId}`)).toMatchObject({ status: 200 });
    const listed = async (key: Mode) =>
      pageOf(await system.get(shops[key], "/api/payments")).items.map((item) => item.paymentId);
    expect(await listed(mode)).toContain(paymentId);

    const unknown = { status: 404, body: { code: "payment_not_found" } };
    const refund = { amount: 1, currency: "TRY" };
    expect(await listed(other(mode))).not.toContain(paymentId);
    expect(await get(other(mode), `/api/payment/${paymentId}`)).toMatchObject(unknown);
    expect(await get(other(mode), `/api/payment/${paymentId}/refunds`)).toMatchObject(unknown);
    expect(await post(other(mode), `/api/payment/${paymentId}/capture`, {})).toMatchObject(unknown);
    expect(await post(other(mode), `/api/payment/${paymentId}/cancel`, {})).toMatchObject(unknown);
    expect(await post(other(mode), `/api/payment/${paymentId}/refund`, refund)).toMatchObject(unknown);
  });

  test("a webhook goes to the endpoint of its mode alone, and says which that is", async () => {
    const paymentId = await pay(mode);
    const about = (receiver: LedgerReceiver) =>
      receiver.ledger
        .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
        .filter((body) => body["paymentId"] === paymentId);
    await eventually(() =>
      expect(about(receivers[mode])).toEqual([expect.objectContaining({ livemode: mode === "live" })]),
    );
    expect(about(receivers[other(mode)])).toEqual([]);
    // By then every event has been handled, and none waits for the other endpoint.
    const path = (livemode: boolean) =>
      `/operator/webhook-deliveries?paymentId=${paymentId}&livemode=${livemode}`;
    const items = [{ merchantId, livemode: mode === "live", paymentId, status: "delivered" }];
    await eventually(async () =>
      expect(await operate("GET", path(mode === "live"))).toMatchObject({ items }),
    );
    expect(await operate("GET", path(mode !== "live"))).toMatchObject({ items: [] });
  });

  test("operators approve a refund in the queue of its mode, and its bank pays it", async () => {
    const paymentId = await pay(mode);
    const { body } = await post(mode, `/api/payment/${paymentId}/refund`, { amount: 1, currency: "TRY" });
    expect(body).toMatchObject({ livemode: mode === "live", status: "PENDING_APPROVAL" });
    const refundId = String(body["paymentId"]);
    const queue = async (query: string) => {
      const { items } = await operate("GET", `/operator/refunds?status=PENDING_APPROVAL${query}`);
      return (items as { refundId: string; merchantId: string; livemode: boolean }[]).filter(
        (item) => item.refundId === refundId,
      );
    };
    const mine = mode === "live" ? "" : "&livemode=false";
    expect(await queue(mine)).toMatchObject([{ merchantId, livemode: mode === "live" }]);
    expect(await queue(`${mine}&merchantId=${merchantId}`)).toHaveLength(1);
    expect(await queue(mode === "live" ? "&livemode=false" : "")).toEqual([]);
    // The issuer of the key must not decide.
    const bora = await system.identity.token({ claims: { sub: "bora" } });
    await operate("POST", `/operator/refunds/${refundId}/approve`, {}, { authorization: `Bearer ${bora}` });
    await eventually(async () =>
      expect(await get(mode, `/api/payment/${refundId}`)).toMatchObject({ body: { status: "SUCCESS" } }),
    );
    expect([await isAt(mode, refundId), await isAt(other(mode), refundId)]).toEqual([true, false]);
    expect(await get(other(mode), `/api/payment/${refundId}`)).toMatchObject({ status: 404 });
  });

  test("operators list payments of one mode, and find them by their ids in either", async () => {
    const paymentId = await pay(mode);
    const listed = async (query: string) => {
      const { items } = await operate("GET", `/operator/payments?${query}`);
      return (items as { merchantId: string; livemode: boolean; payment: { paymentId: string } }[]).filter(
        ({ payment }) => payment.paymentId === paymentId,
      );
    };
    const seen = { merchantId, merchantName: "A shop", livemode: mode === "live" };
    for (const filter of ["", `merchantId=${merchantId}&`]) {
      expect(await listed(`${filter}livemode=${mode === "live"}`)).toMatchObject([seen]);
      expect(await listed(`${filter}livemode=${mode !== "live"}`)).toEqual([]);
      expect(await listed(filter)).toHaveLength(mode === "live" ? 1 : 0);
    }
    expect(await operate("GET", `/operator/payments/${paymentId}`)).toMatchObject(seen);
    expect(await operate("GET", `/operator/search?q=${paymentId}`)).toMatchObject({
      items: [{ type: "payment", payment: seen }],
    });
  });

  test("operators list chargebacks of one mode, and find one by its payment in either", async () => {
    const paymentId = await pay(mode);
    const opened = await operate("POST", `/operator/payments/${paymentId}/chargebacks`, {
      amount: 5,
      currency: "TRY",
    });
    expect(opened).toMatchObject({ merchantId, livemode: mode === "live" });
    const listed = async (query: string) => {
      const { items } = await operate("GET", `/operator/chargebacks?${query}`);
      return (items as { paymentId: string }[]).filter((item) => item.paymentId === paymentId).length;
    };
    for (const filter of ["", `merchantId=${merchantId}&`]) {
      expect(await listed(`${filter}livemode=${mode === "live"}`)).toBe(1);
      expect(await listed(`${filter}livemode=${mode !== "live"}`)).toBe(0);
      expect(await listed(filter)).toBe(mode === "live" ? 1 : 0);
    }
    expect(await listed(`paymentId=${paymentId}`)).toBe(1);
  });

  test("a payment link is of its mode, and so is what it leads back to", async () => {
    const asked = { orderId: "lesson-1", description: "Piano lesson", amount: 12.5, currency: "TRY" };
    const made = await post(mode, "/api/payment-links", asked);
    expect(made).toMatchObject({ status: 201, body: { livemode: mode === "live" } });
    const id = String(made.body["paymentLinkId"]);
    const listed = async (key: Mode) => {
      const { items } = (await get(key, "/api/payment-links")).body as { items: Record<string, unknown>[] };
      return items.some(({ paymentLinkId }) => paymentLinkId === id);
    };
    expect([await listed(mode), await listed(other(mode))]).toEqual([true, false]);
    expect(await get(other(mode), `/api/payment-links/${id}`)).toMatchObject({ status: 404 });
    expect(await post(other(mode), `/api/payment-links/${id}/disable`, {})).toMatchObject({ status: 404 });
    const here = await post(mode, "/api/payment-links", { ...asked, returnUrl: "http://localhost:3000/" });
    expect(here.status).toBe(mode === "live" ? 400 : 201);
  });

  test("a refund that an operator requests is of its payment's mode", async () => {
    const paymentId = await pay(mode);
    const body = { amount: 1, currency: "TRY", reason: "A complaint" };
    const refund = await operate("POST", `/operator/payments/${paymentId}/refunds`, body);
    expect(refund).toMatchObject({ merchantId, livemode: mode === "live" });
    const found = await get(mode, `/api/payment/${String(refund["refundId"])}`);
    expect(found).toMatchObject({ status: 200 });
  });

  test("a checkout, its page and what is paid there are of its mode", async () => {
    const asked = {
      orderId: "order-1",
      amount: 12.5,
      currency: "TRY",
      successUrl: "https://shop.example/paid",
      failureUrl: "https://shop.example/failed",
      threeDs: false,
    };
    const made = await post(mode, "/api/checkout", asked);
    expect(made).toMatchObject({ status: 201, body: { livemode: mode === "live", status: "OPEN" } });
    const checkoutId = String(made.body["checkoutId"]);
    expect(await get(mode, `/api/checkout/${checkoutId}`)).toMatchObject({ status: 200 });
    expect(await get(other(mode), `/api/checkout/${checkoutId}`)).toMatchObject({ status: 404 });
    const page = await open(`http://127.0.0.1:${pagesPort}/checkout/${checkoutId}`);
    expect(page.status).toBe(200);
    expect(page.html).toContain("A shop");
    await send(page, {
      pan: "4111111111111111",
      cardHolderName: "Ada Lovelace",
      expiry: "12/30",
      cvv: "123",
      installmentCount: "1",
    });
    const paid = await get(mode, `/api/checkout/${checkoutId}`);
    const payment = { status: "SUCCESS", livemode: mode === "live" };
    expect(paid).toMatchObject({ body: { status: "COMPLETED", payment } });
    const { paymentId } = paid.body["payment"] as { paymentId: string };
    expect([await isAt(mode, paymentId), await isAt(other(mode), paymentId)]).toEqual([true, false]);
  });
});

test("an Idempotency-Key is a key of one mode: the same request in both is two payments", async () => {
  const [order, key] = [orderOf(), { "idempotency-key": randomUUID() }];
  const [live, tested] = [
    await post("live", "/api/payment", order, key),
    await post("test", "/api/payment", order, key),
  ];
  expect([live, tested]).toMatchObject([
    { status: 201, body: { livemode: true } },
    { status: 201, body: { livemode: false } },
  ]);
  expect(await post("test", "/api/payment", order, key)).toEqual(tested);
});

test("an order that is undecided in one mode can be paid in the other", async () => {
  const order = orderOf();
  await testBank.acquirerWill("sale", "hang");
  const undecided = await post("test", "/api/payment", order);
  expect(undecided).toMatchObject({ status: 202 });
  expect(await post("test", "/api/payment", order)).toMatchObject({ body: { code: "order_undecided" } });
  expect(await post("live", "/api/payment", order)).toMatchObject({ status: 201 });
});

test.each(["http://localhost:3000/paid", "http://127.0.0.1/paid"])(
  "%s is a return URL for test keys alone",
  async (url) => {
    const urls = { successUrl: url, failureUrl: url };
    const checkout = { orderId: "order-1", amount: 12.5, currency: "TRY", ...urls };
    for (const [path, body] of [
      ["/api/checkout", checkout],
      ["/api/3ds", orderOf(urls)],
    ] as const) {
      expect(await post("test", path, body)).toMatchObject({ status: 201 });
      expect(await post("live", path, body)).toMatchObject({
        status: 400,
        body: { errors: [{ field: "successUrl", code: "invalid_url" }, { field: "failureUrl" }] },
      });
    }
  },
);

test("a webhook endpoint of test mode is at a public address, as any other", async () => {
  const path = `/operator/merchants/${merchantId}/webhooks?livemode=false`;
  const { status, text } = await system.operate("POST", path, { body: { url: "http://localhost:3000/" } });
  expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 400 });
});

test("a revoked test key is refused, and a suspended merchant's keys of both modes", async () => {
  const shop = await testShop();
  const status = async (headers: Record<string, string>) =>
    (await system.get({ merchantId, headers }, "/api/payments")).status;
  expect(await status(shop.headers)).toBe(200);
  await operate("DELETE", `/operator/merchants/${merchantId}/credentials/${shop.apiKey}`);
  await eventually(async () => expect(await status(shop.headers)).toBe(401));
  expect(await status(shops.test.headers)).toBe(200);

  await operate("PATCH", `/operator/merchants/${merchantId}`, { status: "SUSPENDED" });
  for (const mode of MODES) await eventually(async () => expect(await status(shops[mode].headers)).toBe(401));
  await operate("PATCH", `/operator/merchants/${merchantId}`, { status: "ACTIVE" });
  for (const mode of MODES) await eventually(async () => expect(await status(shops[mode].headers)).toBe(200));
});
