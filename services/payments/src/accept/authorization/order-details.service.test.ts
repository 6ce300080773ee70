import { randomBytes, randomUUID, type UUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { operations, payCheckout, type OrderDetails } from "@holdfast/contracts";
import { captureLog, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeAccount, resultOf } from "../../../test/account-operators.ts";
import { checkouts, type CheckoutSteps } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/** A bank that records its requests and sends unreadable answers: each outcome is unknown. */
const sent: string[] = [];
const { log, lines } = captureLog("payments");
const bank = createServer((request, response) => {
  const answer = async () => {
    sent.push(await text(request));
    response.end("?");
  };
  void answer();
});

let payments: PaymentsHarness;
let steps: CheckoutSteps;
const merchants = {} as Record<"iyzico" | "nestpay", UUID>;

beforeAll(async () => {
  await new Promise<void>((listening) => bank.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
  const env = {
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACCOUNT_REFRESH: "50ms",
    CHECKOUT_INTERVAL: "50ms",
    RECOVERY_SCHEDULE: "1h",
  };
  payments = await startPaymentsHarness(env, { log: () => log });
  steps = checkouts(payments);
  merchants.iyzico = await merchantAt({
    protocol: "iyzico",
    settings: { url, defaults: DEFAULTS },
    secrets: { apiKey: "key", secretKey: "secret" },
  });
  merchants.nestpay = await merchantAt({
    protocol: "nestpay",
    settings: { apiUrl: `${url}/fim/api`, gateUrl: `${url}/fim/est3Dgate`, clientId: "990000001" },
    secrets: { apiUser: "user", apiPassword: "a password", storeKey: "another secret" },
  });
});
afterAll(async () => {
  await payments.close();
  bank.close();
});

const DEFAULTS = {
  email: "orders@shop.example",
  identityNumber: "11111111111",
  ip: "203.0.113.1",
  address: { line1: "Shop Street 1", city: "Izmir", country: "Turkey" },
  item: { name: "Order", category: "Goods", kind: "virtual" },
};

async function merchantAt(account: object): Promise<UUID> {
  const made = { name: `bank ${randomUUID()}`, currencies: ["TRY"], ...account } as never;
  const { accountId } = resultOf(await makeAccount(payments, made, "alice"));
  resultOf(
    await payments.operate(operations.confirmAcquirerAccount.command, { accountId, version: 1 }, "bora"),
  );
  const merchantId = randomUUID();
  resultOf(
    await payments.operate(
      operations.putMerchantRoutes.command,
      { merchantId, routes: [{ accountId }] },
      "alice",
    ),
  );
  resultOf(
    await payments.operate(operations.confirmMerchantRoutes.command, { merchantId, version: 1 }, "bora"),
  );
  return merchantId;
}

const details: OrderDetails = {
  customer: {
    email: "ada@example.com",
    phone: "+905551234567",
    name: "Ada King Lovelace",
    identityNumber: "22222222222",
    billingAddress: { line1: "Analytical Row 1", city: "London", country: "GB" },
  },
  basket: [{ id: "sku-1", name: "Engine", category: "Machines", kind: "physical", amountMinor: "1250" }],
};

/** A payment's message with details; `given` is what differs. */
function command(merchantId: string, given: OrderDetails | undefined, change: object = {}) {
  const message = payments.command({ ofMerchant: merchantId, ...change });
  const binding = { paymentId: message.paymentId, merchantId };
  return { ...message, ...(given && { details: payments.sealer.sealDetails(given, binding) }) };
}

/** The requests that the payments of `pay` send to the bank. */
async function sentBy(pay: () => Promise<unknown>): Promise<string> {
  const before = sent.length;
  await pay();
  return decodeURIComponent(sent.slice(before).join("\n"));
}

describe("what a request says about its buyer reaches the bank", () => {
  test.each([operations.preAuthorize.command, operations.pay.command])(
    "$name at iyzico, with the buyer's address",
    async (send) => {
      const merchantId = merchants.iyzico;
      const body = await sentBy(() =>
        payments.call(send, command(merchantId, details, { customerId: "c-7" }), {
          merchant: { merchantId },
        }),
      );
      expect(JSON.parse(body)).toMatchObject({
        buyer: {
          id: "c-7",
          name: "Ada King",
          surname: "Lovelace",
          email: "ada@example.com",
          gsmNumber: "+905551234567",
          identityNumber: "22222222222",
          registrationAddress: "Analytical Row 1",
          ip: "203.0.113.7",
        },
        basketItems: [
          { id: "sku-1", name: "Engine", category1: "Machines", itemType: "PHYSICAL", price: "12.50" },
        ],
      });
    },
  );

  test("what it does not say comes from the account's defaults, and the address is the request's", async () => {
    const merchantId = merchants.iyzico;
    const body = await sentBy(() =>
      payments.call(operations.pay.command, command(merchantId, undefined), { merchant: { merchantId } }),
    );
    expect(JSON.parse(body)).toMatchObject({
      buyer: { email: DEFAULTS.email, identityNumber: DEFAULTS.identityNumber, ip: "203.0.113.7" },
    });
  });

  test("with 3-D Secure at iyzico, too", async () => {
    const merchantId = merchants.iyzico;
    const page = "https://pay.example/page";
    const terms = {
      sessionId: randomUUID(),
      successUrl: page,
      failureUrl: page,
      returnUrl: page,
      pageUrl: page,
    };
    const message = { ...command(merchantId, details), ...terms, transactionType: "PAYMENT" as const };
    const body = await sentBy(() =>
      payments.call(operations.payWith3ds.command, message, { merchant: { merchantId } }),
    );
    expect(JSON.parse(body)).toMatchObject({ buyer: { email: "ada@example.com" } });
  });

  test("at Nestpay the address and the e-mail address", async () => {
    const merchantId = merchants.nestpay;
    const body = await sentBy(() =>
      payments.call(operations.pay.command, command(merchantId, details), { merchant: { merchantId } }),
    );
    expect(body).toContain("<IPAddress>203.0.113.7</IPAddress><Email>ada@example.com</Email>");
  });
});

describe("what the account needs and nobody said", () => {
  const { email: _email, ...withoutEmail } = DEFAULTS;
  let merchantId: UUID;
  beforeAll(async () => {
    const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
    const secrets = { apiKey: "key", secretKey: "secret" };
    merchantId = await merchantAt({
      protocol: "iyzico",
      settings: { url, defaults: withoutEmail },
      secrets,
    });
  });
  const refused = {
    outcome: "problem",
    code: "bank_requires_field",
    extra: { field: "customer.email" },
  };

  test("is a refusal that names it; nothing is sent, and there is no payment", async () => {
    const context = {
      merchant: { merchantId },
      idempotency: { key: randomUUID(), scope: "POST /api/payment" },
    };
    const given = { customer: { name: "Ada" } };
    const orderId = "lacking";
    const message = command(merchantId, given, { orderId });
    expect(
      await sentBy(async () =>
        expect(await payments.call(operations.pay.command, message, context)).toEqual(refused),
      ),
    ).not.toContain(message.cardHolderName);
    expect(await payments.read(message.paymentId, merchantId)).toMatchObject({ code: "payment_not_found" });
    const again = await payments.call(
      operations.pay.command,
      command(merchantId, given, { orderId }),
      context,
    );
    expect(again).toEqual({ ...refused, replayed: true });
  });

  test("is taken from the request", async () => {
    const message = command(merchantId, { customer: { email: "ada@example.com" } });
    const body = await sentBy(() =>
      payments.call(operations.pay.command, message, { merchant: { merchantId } }),
    );
    expect(JSON.parse(body)).toMatchObject({ buyer: { email: "ada@example.com" } });
  });
});

test("nothing of it is written anywhere", async () => {
  const merchantId = merchants.iyzico;
  const message = command(merchantId, details);
  await payments.call(operations.pay.command, message, { merchant: { merchantId } });
  const [row] = await payments.query<{ row: object }>(
    "select to_jsonb(payment) as row from payments.payment where payment_id = $1",
    [message.paymentId],
  );
  const written = JSON.stringify(row) + JSON.stringify(lines);
  for (const personal of ["ada@example.com", "+905551234567", "King", "22222222222", "Analytical"]) {
    expect(written).not.toContain(personal);
  }
});

test("another buyer under the same Idempotency-Key is another request", async () => {
  const merchantId = merchants.iyzico;
  const context = {
    merchant: { merchantId },
    idempotency: { key: randomUUID(), scope: "POST /api/payment" },
  };
  const of = (given: OrderDetails | undefined) => command(merchantId, given, { orderId: "repeated" });
  const first = of(details);
  await payments.call(operations.pay.command, first, context);
  expect(await payments.call(operations.pay.command, of(details), context)).toMatchObject({
    result: { paymentId: first.paymentId },
  });
  const other = { ...details, customer: { ...details.customer, email: "other@example.com" } };
  expect(await payments.call(operations.pay.command, of(other), context)).toMatchObject({
    code: "idempotency_key_reused",
  });
  expect(await payments.call(operations.pay.command, of(undefined), context)).toMatchObject({
    code: "idempotency_key_reused",
  });
});

describe("of a checkout", () => {
  const open = async (given: OrderDetails, merchantId = merchants.iyzico, change: object = {}) => {
    const checkoutId = randomUUID();
    const sealed = payments.sealer.sealDetails(given, { paymentId: checkoutId, merchantId });
    const order = steps.order({ checkoutId, details: sealed, ...change });
    resultOf(await payments.call(operations.createCheckout.command, order, { merchant: { merchantId } }));
    return checkoutId;
  };
  const stored = async (checkoutId: string) =>
    (
      await payments.query<{ state: string; sealed_details: object | null }>(
        "select state, sealed_details from payments.checkout where checkout_id = $1",
        [checkoutId],
      )
    )[0];
  const pay = (checkoutId: string, merchantId: string, cardData = {}, browser?: OrderDetails) => {
    const form = steps.form(checkoutId, cardData, command(merchantId, browser, { cardData }));
    return payments.call(payCheckout, form, { merchant: { merchantId } });
  };

  test("it is kept sealed until the buyer pays, and reaches the bank with the payment", async () => {
    const merchantId = merchants.iyzico;
    const checkoutId = await open(details);
    expect(JSON.stringify(await stored(checkoutId))).not.toContain("ada@example.com");
    const body = await sentBy(() => pay(checkoutId, merchantId));
    expect(JSON.parse(body)).toMatchObject({
      buyer: { email: "ada@example.com", ip: "203.0.113.7" },
      basketItems: [{ id: "sku-1" }],
    });
  });

  test("it is emptied when the checkout ends", async () => {
    const merchantId = randomUUID();
    const checkoutId = await open(details, merchantId);
    expect((await stored(checkoutId))!.sealed_details).not.toBeNull();
    resultOf(await pay(checkoutId, merchantId));
    await eventually(async () =>
      expect(await stored(checkoutId)).toEqual({ state: "COMPLETED", sealed_details: null }),
    );
  });

  test("a card whose number stands in it cannot pay", async () => {
    const merchantId = merchants.iyzico;
    const checkoutId = await open({
      initiator: { by: "merchant", channel: "recurring", firstSchemeTransactionId: "4111111111111111" },
    });
    const body = await sentBy(async () =>
      expect(await pay(checkoutId, merchantId)).toMatchObject({
        code: "validation_failed",
        extra: { errors: [{ field: "initiator.firstSchemeTransactionId", code: "card_number" }] },
      }),
    );
    expect(body).toBe("");
  });

  test("what was sealed for another checkout is refused, and nothing is started", async () => {
    const sealed = payments.sealer.sealDetails(details, {
      paymentId: randomUUID(),
      merchantId: merchants.iyzico,
    });
    const order = steps.order({ details: sealed });
    expect(
      await payments.call(operations.createCheckout.command, order, {
        merchant: { merchantId: merchants.iyzico },
      }),
    ).toMatchObject({ code: "internal_error" });
    expect(await stored(order.checkoutId)).toBeUndefined();
  });
});
