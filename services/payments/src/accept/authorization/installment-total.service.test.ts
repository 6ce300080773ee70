import { randomBytes, randomUUID } from "node:crypto";
import {
  inspectCheckoutCard,
  operations,
  readMovements,
  type InstallmentPrice,
  type MessageContext,
  type SellPayment,
} from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../../test/account-operators.ts";
import { checkouts } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { FRICTIONLESS, threeDs } from "../../../test/three-ds-harness.ts";

let payments: PaymentsHarness;
let accountId: string;
let merchantId: string;

const PRICE: InstallmentPrice = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: "2020-01-01",
};

const { as, account, price, merchantRoutedTo } = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => payments.acquirer.url,
);

beforeAll(async () => {
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    // An unknown outcome is asked about only when its merchant reads the payment.
    RECOVERY_SCHEDULE: "1h",
    RECOVERY_INTERVAL: "1h",
  });
  accountId = await account();
  await price(accountId, [PRICE]);
  merchantId = await merchantRoutedTo({ accountId });
});
afterAll(() => payments.close());

/** 1 249.99 in three installments cost 46.874625 more: 1 296.86. */
const order = { amountMinor: "124999", installmentCount: 3 };
const TOTAL = "129686";

const sale = (given: Partial<SellPayment> = {}, ofMerchant = merchantId): SellPayment => ({
  ...payments.command({ ofMerchant, amountMinor: order.amountMinor }),
  installmentCount: order.installmentCount,
  ...given,
});
const sell = (command: SellPayment, context: Partial<MessageContext> = {}) =>
  payments.call(operations.pay.command, command, { merchant: { merchantId }, ...context });
const rowOf = async (paymentId: string) =>
  (
    await payments.query(
      "select amount_minor, order_amount_minor from payments.payment where payment_id = $1",
      [paymentId],
    )
  )[0];

describe("a payment with the total that its buyer saw", () => {
  test("is charged, refunded and settled by it, and shown with the order's price beside", async () => {
    const asked = { bin: "41111111", order: { amountMinor: order.amountMinor, currency: "TRY" } };
    const info = resultOf(
      await payments.call(operations.getBin.command, asked, { merchant: { merchantId } }),
    );
    expect(info.installments!.slice(1, 4)).toEqual([
      { installmentCount: 2, installmentTotal: 1249.99, parts: [625, 624.99] },
      { installmentCount: 3, installmentTotal: 1296.86, parts: [432.3, 432.28, 432.28] },
      { installmentCount: 4, installmentTotal: 1249.99, parts: [312.52, 312.49, 312.49, 312.49] },
    ]);

    const command = sale({ installmentTotalMinor: TOTAL });
    const { paymentId } = command;
    expect(await sell(command)).toMatchObject({
      result: { status: "SUCCESS", amount: 1249.99, installmentTotal: 1296.86, installmentCount: 3 },
    });
    expect(await rowOf(paymentId)).toEqual({ amount_minor: TOTAL, order_amount_minor: order.amountMinor });
    expect(await payments.ledger(paymentId)).toMatchObject([{ operation: "sale", amountMinor: 129_686 }]);
    const read = { merchant: { merchantId } };
    expect(await payments.call(operations.getPayment.command, { paymentId }, read)).toMatchObject({
      result: { amount: 1249.99, installmentTotal: 1296.86 },
    });
    const [event] = await payments.query<{ body: Buffer }>(
      "select body from payments.outbox where payment_id = $1",
      [paymentId],
    );
    expect(JSON.parse(event!.body.toString())).toMatchObject({ amount: 1249.99, installmentTotal: 1296.86 });
    const moved = resultOf(await payments.askAsGateway(readMovements.payments, {}));
    const facts = "facts" in moved ? moved.facts : [];
    expect(facts.find(({ id }) => id === paymentId)).toMatchObject({ kind: "SALE", amountMinor: TOTAL });
    const operationId = randomUUID();
    expect(
      await payments.call(
        operations.cancel.command,
        { paymentId, operationId },
        { merchant: { merchantId } },
      ),
    ).toMatchObject({ result: { status: "CANCELLED", lastOperation: { amount: 1296.86 } } });
  });

  test.each<[string, string, Partial<SellPayment>, number]>([
    ["a kuruş less", "129685", {}, 1296.86],
    ["the price alone", "124999", {}, 1296.86],
    ["the total of another number", TOTAL, { installmentCount: 4 }, 1249.99],
    ["a total of payment in full", TOTAL, { installmentCount: 1 }, 1249.99],
  ])(
    "of %s is refused with the right one, and nothing is begun",
    async (_, installmentTotalMinor, given, right) => {
      const command = sale({ installmentTotalMinor, ...given });
      expect(await sell(command)).toEqual({
        outcome: "problem",
        code: "installment_total_mismatch",
        extra: { installmentTotal: right },
      });
      expect(await rowOf(command.paymentId)).toBeUndefined();
      expect(await payments.ledger(command.paymentId)).toEqual([]);
    },
  );

  test("that equals the price where the merchant pays for them is charged", async () => {
    const command = sale({ installmentCount: 4, installmentTotalMinor: order.amountMinor });
    expect(await sell(command)).toMatchObject({ result: { amount: 1249.99, installmentTotal: 1249.99 } });
  });

  test("without one is charged the price, and the record names no total", async () => {
    const command = sale();
    const reply = await sell(command);
    expect(reply).toMatchObject({ result: { status: "SUCCESS", amount: 1249.99 } });
    expect(resultOf(reply)).not.toHaveProperty("installmentTotal");
    expect(await rowOf(command.paymentId)).toEqual({
      amount_minor: order.amountMinor,
      order_amount_minor: null,
    });
  });

  test("with 3-D Secure is charged the same", async () => {
    await price(accountId, [PRICE, { ...PRICE, loyaltyCode: undefined }]);
    const cardData = { pan: FRICTIONLESS };
    const command = {
      ...threeDs(payments).command(FRICTIONLESS),
      ...payments.command({ ofMerchant: merchantId, amountMinor: order.amountMinor, cardData }),
      installmentCount: 3,
      installmentTotalMinor: TOTAL,
    };
    expect(
      await payments.call(operations.payWith3ds.command, command, { merchant: { merchantId } }),
    ).toMatchObject({ result: { status: "SUCCESS", amount: 1249.99, installmentTotal: 1296.86 } });
    expect(await payments.ledger(command.paymentId)).toMatchObject([{ amountMinor: 129_686 }]);
  });
});

describe("under an Idempotency-Key", () => {
  const keyed = () => ({ idempotency: { key: randomUUID(), scope: "POST /api/payment" } });

  test("the total is a part of the request, and the first answer outlives the price", async () => {
    const key = keyed();
    const first = sale({ installmentTotalMinor: TOTAL });
    const paid = resultOf(await sell(first, key));
    const again = (given: Partial<SellPayment>) => sell(sale({ orderId: first.orderId, ...given }), key);
    expect(await again({ installmentTotalMinor: order.amountMinor })).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await again({})).toMatchObject({ code: "idempotency_key_reused" });
    await price(accountId, [{ ...PRICE, ratePercent: "4" }]);
    expect(await again({ installmentTotalMinor: TOTAL })).toMatchObject({ replayed: true, result: paid });
    // The gateway's copy of the message, which has lost its key here.
    expect(await sell(first)).toMatchObject({ result: { paymentId: first.paymentId, status: "SUCCESS" } });
    expect(await sell(sale({ installmentTotalMinor: TOTAL }))).toMatchObject({
      extra: { installmentTotal: 1299.99 },
    });
    await price(accountId, [PRICE]);
  });

  test("a refusal is the answer to its repetition, also once the total is right", async () => {
    const key = keyed();
    const refused = sale({ installmentTotalMinor: "129999" });
    const mismatch = { code: "installment_total_mismatch", extra: { installmentTotal: 1296.86 } };
    expect(await sell(refused, key)).toMatchObject(mismatch);
    await price(accountId, [{ ...PRICE, ratePercent: "4" }]);
    const again = sale({ installmentTotalMinor: "129999", orderId: refused.orderId });
    expect(await sell(again, key)).toMatchObject(mismatch);
    expect(await rowOf(again.paymentId)).toBeUndefined();
    await price(accountId, [PRICE]);
  });
});

test("an order that is sent again while its payment is undecided gets that one's id, though its total has changed", async () => {
  await payments.acquirerWill("sale", "hang");
  const first = sale({ installmentTotalMinor: TOTAL });
  const { orderId, paymentId } = first;
  expect(await sell(first)).toMatchObject({ outcome: "pending" });
  await price(accountId, [{ ...PRICE, ratePercent: "4" }]);
  const again = (context?: Partial<MessageContext>) =>
    sell(sale({ orderId, installmentTotalMinor: TOTAL }), context);
  const undecided = { outcome: "problem", code: "order_undecided", extra: { paymentId } };
  expect(await again()).toEqual(undecided);
  const otherKey = { idempotency: { key: randomUUID(), scope: "POST /api/payment" } };
  expect(await again(otherKey)).toEqual(undecided);
  await eventually(async () => {
    const read = { merchant: { merchantId } };
    const reply = await payments.call(operations.getPayment.command, { paymentId }, read);
    return "result" in reply && reply.result.status === "SUCCESS";
  });
  // The order can be paid once more, which neither request has begun.
  const mismatch = { code: "installment_total_mismatch", extra: { installmentTotal: 1299.99 } };
  expect(await again()).toMatchObject(mismatch);
  expect(await again(otherKey)).toMatchObject(mismatch);
  await price(accountId, [PRICE]);
});

describe("a checkout", () => {
  const given = { amountMinor: order.amountMinor, installmentOptions: [3, 6] };
  let steps: ReturnType<typeof checkouts>;
  beforeAll(async () => {
    steps = checkouts(payments);
    resultOf(await as("alice").route(payments.merchantId, [{ accountId }]));
    resultOf(await as("bora").confirmRoutes(payments.merchantId, 1));
  });

  test("whose buyers pay for installments charges the total that its page showed, or nothing", async () => {
    const checkoutId = await steps.open({ ...given, installmentPrices: true });
    expect(await payments.askAsGateway(inspectCheckoutCard, { checkoutId, bin: "41111111" })).toMatchObject({
      result: {
        installments: [
          { count: 1, totalMinor: order.amountMinor },
          { count: 3, totalMinor: TOTAL },
          { count: 6, totalMinor: order.amountMinor },
        ],
      },
    });
    for (const seen of [
      {},
      { installmentTotalMinor: order.amountMinor },
      { installmentTotalMinor: "129687" },
    ])
      expect(await steps.pay(checkoutId, {}, { installmentCount: 3, ...seen })).toMatchObject({
        code: "installment_total_mismatch",
        extra: { installmentTotal: 1296.86 },
      });
    expect(await steps.paymentsOf(checkoutId)).toEqual([]);
    const form = { installmentCount: 3, installmentTotalMinor: TOTAL };
    expect(await steps.pay(checkoutId, {}, form)).toMatchObject({
      result: { status: "COMPLETED", payment: { amount: 1249.99, installmentTotal: 1296.86 } },
    });
    expect(await payments.call(operations.getCheckout.command, { checkoutId })).toMatchObject({
      result: {
        amount: 1249.99,
        installmentPrices: true,
        installments: { count: 3, firstAmount: 432.3, furtherAmount: 432.28 },
      },
    });
  });

  test("that does not say so charges exactly its amount, whatever the form has", async () => {
    const checkoutId = await steps.open(given);
    const form = { installmentCount: 3, installmentTotalMinor: TOTAL };
    const reply = await steps.pay(checkoutId, {}, form);
    expect(reply).toMatchObject({ result: { status: "COMPLETED", payment: { amount: 1249.99 } } });
    expect(resultOf(reply).payment).not.toHaveProperty("installmentTotal");
    expect(await payments.ledger(resultOf(reply).payment!.paymentId)).toMatchObject([
      { amountMinor: 124_999 },
    ]);
  });
});

test("of two accounts the first one's total counts, and another account's choose no route", async () => {
  const dear = await account();
  await price(dear, [{ ...PRICE, ratePercent: "9" }]);
  const routed = await merchantRoutedTo({ accountId: dear }, { accountId });
  const merchant = { merchantId: routed };
  for (const installmentTotalMinor of [TOTAL, order.amountMinor, "1"]) {
    const refused = sale({ installmentTotalMinor }, routed);
    expect(await sell(refused, { merchant })).toMatchObject({ extra: { installmentTotal: 1362.49 } });
    expect(await rowOf(refused.paymentId)).toBeUndefined();
  }
  const command = sale({ installmentTotalMinor: "136249" }, routed);
  expect(await sell(command, { merchant })).toMatchObject({ result: { status: "SUCCESS" } });
  const [row] = await payments.query("select account_id from payments.payment where payment_id = $1", [
    command.paymentId,
  ]);
  expect(row).toEqual({ account_id: dear });
});
