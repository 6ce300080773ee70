// `npm start -- --banks` with all banks as a person runs it: a merchant of each bank takes its payments, the bank's own
// ledger agrees with the merchant's answers, and webhooks arrive.
import { readFileSync } from "node:fs";
import { bankProtocols } from "@holdfast/sandbox/banks";
import { verifyWebhook } from "@holdfast/webhook-signature";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually, startLedgerReceiver } from "../support/index.ts";
import { enrol, passChallenge } from "./buyer-at-bank.ts";
import { send, type Page } from "./follow-forms.ts";
import { runNpmStart, type StartedByNpm } from "./run-npm-start.ts";
import { preAuthorization } from "./running-sandbox.ts";
import { shopAtBank, type ShopAtBank } from "./shop-at-bank.ts";

const BANKS = bankProtocols;

let started: StartedByNpm;
beforeAll(async () => {
  started = await runNpmStart(["--banks", BANKS.join(",")]);
});
afterAll(() => started?.cleanUp());

test("sandbox.json says how to reach each bank and its merchant, and nothing else", () => {
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(started.file.banks).toEqual(
    BANKS.map((protocol) => ({
      protocol,
      url,
      ledgerUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ledger$/),
      accountId: expect.any(String),
      merchant: {
        merchantId: expect.any(String),
        name: expect.any(String),
        apiKey: expect.any(String),
        apiSecret: expect.any(String),
      },
    })),
  );
  expect(Object.keys(started.file.processes)).toEqual(
    expect.arrayContaining(BANKS.map((protocol) => `${protocol}-simulator`)),
  );
});

describe.each(BANKS)("a merchant at %s", (protocol) => {
  let shop: ShopAtBank;
  beforeAll(() => {
    shop = shopAtBank(started.file, protocol);
  });

  test("captures a part of a pre-authorization", async () => {
    const { body } = await shop.api("POST", "/api/pre-authorization", preAuthorization({ amount: 100 }));
    expect(await shop.settled(body.paymentId)).toMatchObject({ status: "SUCCESS", amount: 100 });
    const capture = await shop.api("POST", `/api/payment/${body.paymentId}/capture`, {
      amount: 40,
      currency: "TRY",
    });
    expect(capture).toMatchObject({ status: 200, body: { status: "CAPTURED", capturedAmount: 40 } });
    expect(await shop.book(body.paymentId)).toEqual(["authorize 10000", "capture 4000"]);
    expect(await shop.lines(body.paymentId)).toMatchObject([
      { currency: "TRY", pan: expect.stringMatching(/^411111\*+1111$/) },
      { currency: "TRY" },
    ]);
  });

  test("cancels a sale with installments on its day", async () => {
    const { body } = await shop.api("POST", "/api/payment", preAuthorization({ installmentCount: 3 }));
    expect(await shop.settled(body.paymentId)).toMatchObject({ status: "SUCCESS", installmentCount: 3 });
    expect(await shop.api("POST", `/api/payment/${body.paymentId}/cancel`, {})).toMatchObject({
      status: 200,
      body: { status: "CANCELLED" },
    });
    expect(await shop.book(body.paymentId)).toEqual(["sale 1250", "void 1250"]);
  });

  test("pays back a whole sale on its day, and a part of another one after the day's end", async () => {
    const onTheDay = await sale(shop);
    const whole = await shop.refund(onTheDay, 12.5);
    expect(await shop.settled(whole)).toMatchObject({ status: "SUCCESS", transactionType: "REFUND" });
    expect(await shop.book(onTheDay)).toEqual(["sale 1250", expect.stringMatching(/^(?:void|refund) 1250$/)]);
    const settledSale = await sale(shop);
    await shop.closeDay();
    const part = await shop.refund(settledSale, 2.5);
    expect(await shop.settled(part)).toMatchObject({ status: "SUCCESS", parentPaymentId: settledSale });
    expect(await shop.book(settledSale)).toEqual(["sale 1250", "refund 250"]);
  });

  test("takes a payment with 3-D Secure to its end, and one whose buyer types a wrong code", async () => {
    expect(await payWithCode(shop, "123456")).toMatchObject({
      path: "/yes",
      payment: { status: "SUCCESS" },
      book: ["sale 1250"],
    });
    expect(await payWithCode(shop, "654321")).toMatchObject({
      path: "/no",
      payment: { status: "FAILED" },
      book: [],
    });
  });

  test("has a challenge completed once, through however many doors it comes at the same moment", async () => {
    const { paymentId, back } = await cameBack(shop, "123456");
    const ask = () => shop.operator("POST", `/operator/payments/${paymentId}/inquire`);
    const look = () => shop.api("GET", `/api/payment/${paymentId}`);
    await Promise.all([...Array.from({ length: 6 }, () => send(back)), ask(), look(), look()]);
    expect(await shop.settled(paymentId)).toMatchObject({ status: "SUCCESS" });
    // A reload, long after.
    expect((await send(back)).shop?.pathname).toBe("/yes");
    expect(await shop.lines(paymentId)).toMatchObject([
      { operation: "sale", outcome: "approved", amountMinor: 1250 },
    ]);
  });

  test("is told of each end by a signed webhook", async () => {
    const { certFile, keyFile } = started.file.receiver;
    const receiver = await startLedgerReceiver({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    onTestFinished(() => receiver.close());
    const webhook = `/operator/merchants/${shop.bank.merchant.merchantId}/webhook`;
    const { body: endpoint } = await shop.operator("PUT", webhook, { url: receiver.url });
    const paymentId = await sale(shop);
    // The end of an earlier payment may come before it.
    const received = await eventually(
      () => receiver.ledger.find(({ body }) => body.toString().includes(paymentId)) ?? false,
    );
    expect(verifyWebhook(received, { secret: endpoint.secret, now: received.arrivedAt })).toMatchObject({
      valid: true,
      eventType: "payment.status_changed",
    });
    expect(JSON.parse(received.body.toString())).toMatchObject({ paymentId, status: "SUCCESS" });
  });

  test("keeps its account and its routes, and no other bank has seen its payments", async () => {
    const paymentId = await sale(shop);
    const others = BANKS.filter((bank) => bank !== protocol).map((bank) => shopAtBank(started.file, bank));
    for (const other of others) expect(await other.book(paymentId)).toEqual([]);
    // Operators find it in the bank's panel by the name that they are shown.
    const { body: detail } = await shop.operator("GET", `/operator/payments/${paymentId}`);
    const [line] = await shop.lines(paymentId);
    expect(line!.orderId).toContain(detail.bankOrderId);
    const probe = `/operator/acquirer-accounts/${shop.bank.accountId}/probe`;
    expect(await shop.operator("POST", probe)).toMatchObject({ status: 200, body: { result: "ok" } });
  });
});

test("SIGTERM ends it, and leaves no process", async () => {
  expect(started.processes().length).toBeGreaterThan(8);
  expect(await started.stop()).toBe(0);
  await eventually(() => started.processes().length === 0);
});

test("started again, one bank at another port, it has its merchant and another account, and two people may be asked for", async () => {
  const before = started;
  const settings = { ACCOUNT_CHANGES_TWO_PEOPLE: "true" };
  started = await runNpmStart(["--banks", "nestpay"], settings, before.home);
  const [nestpay, ...others] = started.file.banks!;
  expect(others).toEqual([]);
  const { accountId: used, merchant } = before.file.banks![0]!;
  expect(nestpay).toMatchObject({ protocol: "nestpay", merchant });
  const shop = shopAtBank(started.file, "nestpay");
  // The account that payments were sent to keeps its terminal.
  expect(await shop.operator("GET", `/operator/acquirer-accounts/${used}`)).toMatchObject({
    body: { state: "NO_NEW_PAYMENTS", settings: { apiUrl: `${before.file.banks![0]!.url}/fim/api` } },
  });
  expect(await shop.operator("GET", `/operator/acquirer-accounts/${nestpay!.accountId}`)).toMatchObject({
    body: { state: "ACTIVE", settings: { apiUrl: `${nestpay!.url}/fim/api` } },
  });
  const paymentId = await sale(shop);
  expect(await shop.book(paymentId)).toEqual(["sale 1250"]);
});

/** @returns the id of a sale that the bank has approved. */
async function sale(shop: ShopAtBank): Promise<string> {
  const { body } = await shop.api("POST", "/api/payment", preAuthorization());
  expect(await shop.settled(body.paymentId)).toMatchObject({ status: "SUCCESS" });
  return body.paymentId;
}

/** A buyer whose browser follows every form that it is given, and who types a code at the issuer's. */
async function payWithCode(shop: ShopAtBank, code: string) {
  const { paymentId, back } = await cameBack(shop, code);
  return {
    path: (await send(back)).shop?.pathname,
    payment: await shop.settled(paymentId),
    book: await shop.book(paymentId),
  };
}

/** A buyer up to the form that returns the browser to us, which is not sent yet. */
async function cameBack(shop: ShopAtBank, code: string): Promise<{ paymentId: string; back: Page }> {
  const { paymentId, status, redirectUrl = "" } = await enrol(shop);
  expect(status).toBe("ENROLLED");
  return { paymentId, back: await passChallenge(started.file, redirectUrl, code) };
}
