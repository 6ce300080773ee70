import { randomUUID } from "node:crypto";
import {
  cancelCheckout,
  completePayment,
  inspectCheckoutCard,
  operations,
  payCheckout,
} from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerChallenge } from "../../../test/cardholder.ts";
import { checkouts, type CheckoutSteps } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
let steps: CheckoutSteps;
beforeAll(async () => {
  payments = await startPaymentsHarness({
    CHECKOUT_INTERVAL: "50ms",
    CHECKOUT_ATTEMPTS_MAX: "3",
    // A payment is recovered when the test says so (`recover`).
    RECOVERY_SCHEDULE: "1h",
    RECOVERY_INTERVAL: "50ms",
  });
  steps = checkouts(payments);
});
afterAll(() => payments.close());

/** Lets recovery find out how the checkout's payments have ended, as it will some time. */
const recover = (checkoutId: string) =>
  payments.query(
    `update payments.payment set recover_at = now()
     where recover_at is not null and payment_id in (
       select payment_id from payments.checkout_payment where checkout_id = $1)`,
    [checkoutId],
  );

const DECLINED = { pan: "4000000000009995" };

test("a checkout shows what it was made of, to its merchant only", async () => {
  const checkoutId = await steps.open({ orderId: "order-1", customerId: "c-1", expiresInSeconds: 60 });
  const reply = await payments.call(operations.getCheckout.command, { checkoutId });
  expect(reply).toMatchObject({
    outcome: "done",
    result: {
      orderId: "order-1",
      amount: 12.5,
      currency: "TRY",
      customerId: "c-1",
      transactionType: "PAYMENT",
      installmentOptions: [1, 3, 6],
      successUrl: "https://shop.example/paid",
    },
  });
  const { createdAt, expiresAt } = (reply as Extract<typeof reply, { result: unknown }>).result;
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60_000);

  const stranger = { merchant: { merchantId: randomUUID() } };
  const unknown = { outcome: "problem", code: "checkout_not_found" };
  expect(await payments.call(operations.getCheckout.command, { checkoutId }, stranger)).toEqual(unknown);
  expect(await payments.call(payCheckout, steps.form(checkoutId), stranger)).toEqual(unknown);
  expect(await payments.call(operations.getCheckout.command, { checkoutId: randomUUID() })).toEqual(unknown);
});

test("a repetition under the same Idempotency-Key is the same checkout, another order under it is refused", async () => {
  const idempotency = { key: randomUUID(), scope: "POST /api/checkout" };
  const orderId = "repeated";
  const first = await payments.call(operations.createCheckout.command, steps.order({ orderId }), {
    idempotency,
  });
  const second = await payments.call(operations.createCheckout.command, steps.order({ orderId }), {
    idempotency,
  });
  expect(second).toEqual({ ...first, replayed: true });
  expect(
    await payments.call(operations.createCheckout.command, steps.order({ orderId, amountMinor: "1251" }), {
      idempotency,
    }),
  ).toEqual({
    outcome: "problem",
    code: "idempotency_key_reused",
  });
});

test("the page has the merchant's text for the buyer, and another text is another request", async () => {
  const idempotency = { key: randomUUID(), scope: "POST /api/checkout" };
  const order = steps.order({ buyerText: "2 tickets" });
  await payments.call(operations.createCheckout.command, order, { idempotency });
  expect(await steps.view(order.checkoutId)).toMatchObject({ description: "2 tickets" });
  const changed = { ...order, checkoutId: randomUUID(), buyerText: "3 tickets" };
  expect(await payments.call(operations.createCheckout.command, changed, { idempotency })).toMatchObject({
    code: "idempotency_key_reused",
  });
});

test("a copy of the message opens nothing new", async () => {
  const message = steps.order();
  const [first, second] = await Promise.all([
    payments.call(operations.createCheckout.command, message),
    payments.call(operations.createCheckout.command, message),
  ]);
  expect(second).toEqual(first);
});

test("paying completes it, with the order's amount and the chosen installments", async () => {
  const checkoutId = await steps.open();
  const reply = await steps.pay(checkoutId, {}, { installmentCount: 3 });
  expect(reply).toMatchObject({
    outcome: "done",
    result: {
      status: "COMPLETED",
      payment: {
        status: "SUCCESS",
        amount: 12.5,
        installmentCount: 3,
        orderId: expect.stringMatching(/^order-\d+$/),
      },
    },
  });
  const [payment] = await steps.paymentsOf(checkoutId);
  expect(await payments.call(operations.getCheckout.command, { checkoutId })).toMatchObject({
    result: { status: "COMPLETED", payment: { paymentId: payment!.payment_id } },
  });
  expect(await payments.ledger(payment!.payment_id)).toMatchObject([{ operation: "sale" }]);
  const events = await payments.query("select status from payments.outbox where payment_id = $1", [
    payment!.payment_id,
  ]);
  expect(events).toEqual([{ status: "SUCCESS" }]);
});

test("a pre-authorization's checkout reserves", async () => {
  const checkoutId = await steps.open({ transactionType: "PRE_AUTHORIZATION", installmentOptions: [] });
  await steps.pay(checkoutId);
  const [payment] = await steps.paymentsOf(checkoutId);
  expect(await payments.ledger(payment!.payment_id)).toMatchObject([{ operation: "authorize" }]);
});

test("of eight forms sent at once one pays", async () => {
  const checkoutId = await steps.open();
  const replies = await Promise.all(Array.from({ length: 8 }, () => steps.pay(checkoutId)));
  const made = await steps.paymentsOf(checkoutId);
  expect(made).toHaveLength(1);
  for (const reply of replies) {
    expect(reply).toMatchObject({ outcome: "done", result: { payment: { paymentId: made[0]!.payment_id } } });
  }
  expect(await steps.view(checkoutId)).toMatchObject({ status: "COMPLETED", attemptsLeft: 2 });
});

test("one form sent twice is one payment, and both hear its end", async () => {
  const checkoutId = await steps.open();
  const twice = steps.form(checkoutId);
  const replies = await Promise.all([payments.call(payCheckout, twice), payments.call(payCheckout, twice)]);
  for (const reply of replies)
    expect(reply).toMatchObject({ outcome: "done", result: { status: "COMPLETED" } });
  expect(await steps.paymentsOf(checkoutId)).toHaveLength(1);
});

test("a declined form sent again takes no further attempt", async () => {
  const checkoutId = await steps.open();
  const declined = steps.form(checkoutId, DECLINED);
  await payments.call(payCheckout, declined);
  expect(await payments.call(payCheckout, declined)).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", attemptsLeft: 2, payment: { status: "FAILED" } },
  });
});

test("a declined card leaves it open for another", async () => {
  const checkoutId = await steps.open();
  expect(await steps.pay(checkoutId, DECLINED)).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", attemptsLeft: 2, payment: { status: "FAILED", resultCode: "51" } },
  });
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED", attemptsLeft: 1 } });
  expect(await steps.paymentsOf(checkoutId)).toMatchObject([{ state: "FAILED" }, { state: "SUCCESS" }]);
});

test("the last of the allowed declines cancels it", async () => {
  const checkoutId = await steps.open();
  await steps.pay(checkoutId, DECLINED);
  await steps.pay(checkoutId, DECLINED);
  expect(await steps.pay(checkoutId, DECLINED)).toMatchObject({
    result: { status: "CANCELLED", attemptsLeft: 0 },
  });
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "CANCELLED" } });
  expect(await steps.paymentsOf(checkoutId)).toHaveLength(3);
});

test("a form that was open when the time ran out pays nothing", async () => {
  const checkoutId = await steps.open();
  await steps.letExpire(checkoutId);
  expect(await steps.pay(checkoutId)).toMatchObject({ outcome: "done", result: { status: "EXPIRED" } });
  expect(await steps.paymentsOf(checkoutId)).toEqual([]);
});

test("a payment begun in time decides, though its outcome is known only after the expiry", async () => {
  const checkoutId = await steps.open();
  await payments.acquirerWill("sale", "hang");
  expect(await steps.pay(checkoutId)).toMatchObject({
    outcome: "pending",
    result: { status: "OPEN", payment: { status: "ENROLLED" } },
  });
  await steps.letExpire(checkoutId);
  expect(await steps.pay(checkoutId)).toMatchObject({ outcome: "done", result: { payment: {} } });
  await recover(checkoutId);
  await eventually(async () => (await steps.view(checkoutId)).status === "COMPLETED");
  expect(await steps.paymentsOf(checkoutId)).toMatchObject([{ state: "SUCCESS" }]);
});

test("nobody has to look: rounds close what is over", async () => {
  const [expired, paid] = [await steps.open(), await steps.open()];
  await steps.letExpire(expired);
  await payments.acquirerWill("sale", "hang");
  await steps.pay(paid);
  await recover(paid);
  await eventually(async () => (await steps.storedState(expired)) === "EXPIRED");
  await eventually(async () => (await steps.storedState(paid)) === "COMPLETED");
  expect(await steps.paymentsOf(expired)).toEqual([]);
});

test("it is completed although the payment was cancelled before anybody looked", async () => {
  const checkoutId = await steps.open();
  await steps.pay(checkoutId);
  const [payment] = await steps.paymentsOf(checkoutId);
  await payments.call(operations.cancel.command, {
    paymentId: payment!.payment_id,
    operationId: randomUUID(),
  });
  await payments.query(
    "update payments.checkout set state = 'OPEN', closed_at = null where checkout_id = $1",
    [checkoutId],
  );
  await eventually(async () => (await steps.storedState(checkoutId)) === "COMPLETED");
  expect(await steps.view(checkoutId)).toMatchObject({
    status: "COMPLETED",
    payment: { status: "CANCELLED" },
  });
});

test("a buyer who goes back cancels it, but not what is under way or paid", async () => {
  const left = await steps.open();
  expect(await payments.askAsGateway(cancelCheckout, { checkoutId: left })).toMatchObject({
    result: { status: "CANCELLED" },
  });
  expect(await steps.pay(left)).toMatchObject({ result: { status: "CANCELLED" } });
  expect(await steps.paymentsOf(left)).toEqual([]);

  const underway = await steps.open();
  await payments.acquirerWill("sale", "hang");
  await steps.pay(underway);
  expect(await payments.askAsGateway(cancelCheckout, { checkoutId: underway })).toMatchObject({
    result: { status: "OPEN" },
  });
  await recover(underway);
  await eventually(async () => (await steps.view(underway)).status === "COMPLETED");
  expect(await payments.askAsGateway(cancelCheckout, { checkoutId: underway })).toMatchObject({
    result: { status: "COMPLETED" },
  });
});

test("installments are those of the checkout that the card allows", async () => {
  const checkoutId = await steps.open({ installmentOptions: [3, 6, 12] });
  const inspect = (bin: string) => payments.askAsGateway(inspectCheckoutCard, { checkoutId, bin });
  const inAll = (...counts: number[]) => counts.map((count) => ({ count, totalMinor: "1250" }));
  expect(await inspect("411111")).toMatchObject({
    result: { cardScheme: "VISA", installments: inAll(1, 3, 6, 12) },
  });
  expect(await inspect("55555555")).toMatchObject({ result: { installments: inAll(1, 3, 6) } });
  expect(await inspect("123456")).toEqual({ outcome: "done", result: { installments: inAll(1) } });
  expect(await steps.pay(checkoutId, {}, { installmentCount: 2 })).toMatchObject({
    code: "installments_not_allowed",
    extra: { allowed: [1, 3, 6, 12] },
  });
  expect(await steps.pay(checkoutId, { pan: "5555555555554444" }, { installmentCount: 12 })).toMatchObject({
    code: "installments_not_allowed",
  });
  expect(await steps.paymentsOf(checkoutId)).toEqual([]);
  await steps.letExpire(checkoutId);
  expect(await inspect("411111")).toMatchObject({ code: "checkout_not_found" });
});

const CHALLENGED = { pan: "4000000000003220" };

/** The challenge of the checkout's payment, and the session that brings the browser back. */
async function challengeOf(checkoutId: string) {
  const [session] = await payments.query<{
    payment_id: string;
    session_id: string;
    challenge: { url: string; fields: Record<string, string> };
  }>(
    "select three_ds_session.* from payments.three_ds_session join payments.checkout using (payment_id) where checkout_id = $1",
    [checkoutId],
  );
  const { payment_id: paymentId, session_id: sessionId, challenge } = session!;
  return {
    answer: (answer: "right" | "wrong") => answerChallenge(challenge, answer),
    comeBack: () =>
      payments.askAsGateway(completePayment, { paymentId, sessionId, returned: { fields: [] } }),
  };
}

test("with 3-D Secure the page leads to the challenge, and nothing else can be begun until it has ended", async () => {
  const checkoutId = await steps.open({ threeDs: true });
  const first = steps.form(checkoutId, CHALLENGED);
  const shown = await payments.call(payCheckout, first);
  expect(shown).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", payment: { status: "ENROLLED" }, challengeUrl: first.session.pageUrl },
  });
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { payment: { paymentId: first.paymentId } } });
  expect(await payments.call(payCheckout, first)).toEqual(shown);
  await steps.letExpire(checkoutId);
  expect(await steps.view(checkoutId)).toMatchObject({ status: "OPEN", challengeUrl: first.session.pageUrl });

  const challenge = await challengeOf(checkoutId);
  await challenge.answer("right");
  await challenge.comeBack();
  expect(await steps.view(checkoutId)).toMatchObject({ status: "COMPLETED", payment: { status: "SUCCESS" } });
  expect(await steps.view(checkoutId)).not.toHaveProperty("challengeUrl");
  expect(await steps.paymentsOf(checkoutId)).toHaveLength(1);
});

test("of eight cards enrolled at once one is challenged", async () => {
  const checkoutId = await steps.open({ orderId: "of eight", threeDs: true });
  await Promise.all(Array.from({ length: 8 }, () => steps.pay(checkoutId, CHALLENGED)));
  expect(await steps.paymentsOf(checkoutId)).toMatchObject([{ state: "ENROLLED" }]);
  const rows = await payments.query(
    "select payment_id from payments.payment where order_id = $1 and state = 'ENROLLED'",
    ["of eight"],
  );
  expect(rows).toHaveLength(1);
});

test("a failed challenge leaves the checkout to another card", async () => {
  const checkoutId = await steps.open({ threeDs: true });
  await steps.pay(checkoutId, CHALLENGED);
  const challenge = await challengeOf(checkoutId);
  await challenge.answer("wrong");
  await challenge.comeBack();
  expect(await steps.view(checkoutId)).toMatchObject({
    status: "OPEN",
    attemptsLeft: 2,
    payment: { status: "FAILED" },
  });
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED" } });
});

test.each([
  ["orderId", { orderId: "5105105105105100" }],
  ["buyerText", { buyerText: "for 5105105105105100" }],
  ["customerId", { customerId: "c-５１０５１０５１０５１０５１００" }],
  ["successUrl", { successUrl: "https://shop.example/paid?c=5105%20105105105100" }],
  ["failureUrl", { failureUrl: "https://shop.example/%35105105105105100" }],
])(
  "a checkout with the card's own number as its %s is not paid with that card, but with another",
  async (field, change) => {
    const checkoutId = await steps.open(change);
    expect(await steps.pay(checkoutId, { pan: "5105105105105100" })).toEqual({
      outcome: "problem",
      code: "validation_failed",
      extra: { errors: [{ field, code: "card_number", message: expect.any(String) }] },
    });
    expect(await steps.paymentsOf(checkoutId)).toEqual([]);
    expect(await steps.view(checkoutId)).toMatchObject({ status: "OPEN", attemptsLeft: 3 });
    expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED" } });
  },
);

test("a card sealed for another payment is not opened", async () => {
  const checkoutId = await steps.open();
  const other = steps.form(checkoutId);
  const reply = await payments.call(payCheckout, { ...steps.form(checkoutId), card: other.card });
  expect(reply).toEqual({ outcome: "problem", code: "internal_error" });
});

test.each([
  ["without 3-D Secure", false],
  ["with 3-D Secure", true],
])("a card that the merchant's own rules refuse is an attempt, and REJECTED, %s", async (_case, threeDs) => {
  const merchant = {
    merchantId: payments.merchantId,
    rules: { largestAmounts: [{ currency: "TRY", amount: "10.00" }] },
  };
  const events = async () => {
    const counted = "select count(*)::int as count from payments.outbox where status = 'REJECTED'";
    return (await payments.query<{ count: number }>(counted))[0]!.count;
  };
  const before = await events();
  const checkoutId = await steps.open({ threeDs });
  const pay = () => payments.call(payCheckout, steps.form(checkoutId), { merchant });
  expect(await pay()).toMatchObject({ outcome: "done", result: { status: "OPEN" } });
  await pay();
  expect(await pay()).toMatchObject({ result: { status: "CANCELLED" } });
  // A late attempt leaves no payment behind, and the merchant gets no event.
  expect(await pay()).toMatchObject({ result: { status: "CANCELLED" } });
  const made = await steps.paymentsOf(checkoutId);
  expect(made.map(({ state }) => state)).toEqual(["REJECTED", "REJECTED", "REJECTED"]);
  expect(await events()).toBe(before + 3);
});
