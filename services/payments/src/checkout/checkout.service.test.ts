import { randomUUID } from "node:crypto";
import {
  cancelCheckout,
  cancelPayment,
  completePayment,
  openCheckout,
  payCheckout,
  readCheckout,
  viewCheckout,
  inspectCheckoutCard,
  type CheckoutPage,
  type Command,
  type CommandReply,
  type OpenCheckout,
  type PayCheckout,
  type ServiceContext,
} from "@holdfast/contracts";
import { request } from "@holdfast/messaging";
import { eventually } from "@holdfast/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { answerChallenge } from "../../test/cardholder.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../test/payments-harness.ts";

let payments: PaymentsHarness;
beforeAll(async () => {
  payments = await startPaymentsHarness({
    CHECKOUT_INTERVAL: "50ms",
    CHECKOUT_ATTEMPTS_MAX: "3",
    ACQUIRER_TIMEOUT: "1s",
    RECOVERY_SCHEDULE: "2s,3s,4s",
    RECOVERY_INTERVAL: "50ms",
  });
});
afterAll(() => payments.close());

const DECLINED = { pan: "4000000000009995" };

async function open(change: Partial<OpenCheckout> = {}): Promise<string> {
  const checkoutId = randomUUID();
  const reply = await payments.call(openCheckout, order({ checkoutId, ...change }));
  expect(reply).toMatchObject({ outcome: "done", result: { checkoutId, status: "OPEN" } });
  return checkoutId;
}

function order(change: Partial<OpenCheckout> = {}): OpenCheckout {
  return {
    checkoutId: randomUUID(),
    orderId: "order-1",
    amountMinor: "1250",
    currency: "TRY",
    installmentOptions: [3, 6],
    successUrl: "https://shop.example/paid",
    failureUrl: "https://shop.example/failed",
    transactionType: "PAYMENT",
    threeDs: false,
    ...change,
  };
}

function form(
  checkoutId: string,
  cardData: { pan?: string } = {},
  change: Partial<PayCheckout> = {},
): PayCheckout {
  const paymentId = change.paymentId ?? randomUUID();
  const { cardHolderName, card, requestIp, requestPort } = payments.command({ paymentId, cardData });
  const page = "https://pay.example/page";
  return {
    checkoutId,
    paymentId,
    cardHolderName,
    card,
    installmentCount: 1,
    requestIp,
    requestPort,
    session: { sessionId: randomUUID(), returnUrl: page, pageUrl: page },
    checkoutUrl: page,
    ...change,
  };
}

const pay = (checkoutId: string, cardData?: { pan?: string }, change?: Partial<PayCheckout>) =>
  payments.call(payCheckout, form(checkoutId, cardData, change));

async function asPage<Request extends z.ZodType, Result extends z.ZodType>(
  command: Command<Request, Result, ServiceContext>,
  payload: z.input<Request>,
): Promise<CommandReply<z.infer<Result>>> {
  const context = {
    requestId: randomUUID(),
    deadlineAt: Date.now() + 18_000,
    service: { name: "api-gateway" },
  };
  return await request(payments.bus, command, context, payload, {
    waitUntil: Date.now() + 20_000,
    traceparent: "",
  });
}

async function view(checkoutId: string): Promise<CheckoutPage> {
  const reply = await asPage(viewCheckout, { checkoutId });
  if (reply.outcome !== "done") throw new Error(reply.outcome);
  return reply.result;
}

const paymentsOf = (checkoutId: string) =>
  payments.query<{ payment_id: string; state: string }>(
    "select payment_id, state from payments.checkout_payment join payments.payment using (payment_id) where checkout_id = $1 order by attempt",
    [checkoutId],
  );

const letExpire = (checkoutId: string) =>
  payments.query("update payments.checkout set expires_at = now() where checkout_id = $1", [checkoutId]);

const storedState = async (checkoutId: string) =>
  (
    await payments.query<{ state: string }>("select state from payments.checkout where checkout_id = $1", [
      checkoutId,
    ])
  )[0]!.state;

test("a checkout shows what it was made of, to its merchant only", async () => {
  const checkoutId = await open({ customerId: "c-1", expiresInSeconds: 60 });
  const reply = await payments.call(readCheckout, { checkoutId });
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
  expect(await payments.call(readCheckout, { checkoutId }, stranger)).toEqual(unknown);
  expect(await payments.call(payCheckout, form(checkoutId), stranger)).toEqual(unknown);
  expect(await payments.call(readCheckout, { checkoutId: randomUUID() })).toEqual(unknown);
});

test("a repetition under the same Idempotency-Key is the same checkout, another order under it is refused", async () => {
  const idempotency = { key: randomUUID(), scope: "POST /api/checkout" };
  const first = await payments.call(openCheckout, order(), { idempotency });
  const second = await payments.call(openCheckout, order(), { idempotency });
  expect(second).toEqual({ ...first, replayed: true });
  expect(await payments.call(openCheckout, order({ amountMinor: "1251" }), { idempotency })).toEqual({
    outcome: "problem",
    code: "idempotency_key_reused",
  });
});

test("a copy of the message opens nothing new", async () => {
  const message = order();
  const [first, second] = await Promise.all([
    payments.call(openCheckout, message),
    payments.call(openCheckout, message),
  ]);
  expect(second).toEqual(first);
});

test("paying completes it, with the order's amount and the chosen installments", async () => {
  const checkoutId = await open();
  const reply = await pay(checkoutId, {}, { installmentCount: 3 });
  expect(reply).toMatchObject({
    outcome: "done",
    result: {
      status: "COMPLETED",
      payment: { status: "SUCCESS", amount: 12.5, installmentCount: 3, orderId: "order-1" },
    },
  });
  const [payment] = await paymentsOf(checkoutId);
  expect(await payments.call(readCheckout, { checkoutId })).toMatchObject({
    result: { status: "COMPLETED", payment: { paymentId: payment!.payment_id } },
  });
  expect(await payments.ledger(payment!.payment_id)).toMatchObject([{ operation: "sale" }]);
  const events = await payments.query("select status from payments.outbox where payment_id = $1", [
    payment!.payment_id,
  ]);
  expect(events).toEqual([{ status: "SUCCESS" }]);
});

test("a pre-authorization's checkout reserves", async () => {
  const checkoutId = await open({ transactionType: "PRE_AUTHORIZATION", installmentOptions: [] });
  await pay(checkoutId);
  const [payment] = await paymentsOf(checkoutId);
  expect(await payments.ledger(payment!.payment_id)).toMatchObject([{ operation: "authorize" }]);
});

test("of eight forms sent at once one pays", async () => {
  const checkoutId = await open();
  const replies = await Promise.all(Array.from({ length: 8 }, () => pay(checkoutId)));
  const made = await paymentsOf(checkoutId);
  expect(made).toHaveLength(1);
  for (const reply of replies) {
    expect(reply).toMatchObject({ outcome: "done", result: { payment: { paymentId: made[0]!.payment_id } } });
  }
  expect(await view(checkoutId)).toMatchObject({ status: "COMPLETED", attemptsLeft: 2 });
});

test("one form sent twice is one payment, and both hear its end", async () => {
  const checkoutId = await open();
  const twice = form(checkoutId);
  const replies = await Promise.all([payments.call(payCheckout, twice), payments.call(payCheckout, twice)]);
  for (const reply of replies)
    expect(reply).toMatchObject({ outcome: "done", result: { status: "COMPLETED" } });
  expect(await paymentsOf(checkoutId)).toHaveLength(1);
});

test("a declined form sent again takes no further attempt", async () => {
  const checkoutId = await open();
  const declined = form(checkoutId, DECLINED);
  await payments.call(payCheckout, declined);
  expect(await payments.call(payCheckout, declined)).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", attemptsLeft: 2, payment: { status: "FAILED" } },
  });
});

test("a declined card leaves it open for another", async () => {
  const checkoutId = await open();
  expect(await pay(checkoutId, DECLINED)).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", attemptsLeft: 2, payment: { status: "FAILED", resultCode: "51" } },
  });
  expect(await pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED", attemptsLeft: 1 } });
  expect(await paymentsOf(checkoutId)).toMatchObject([{ state: "FAILED" }, { state: "SUCCESS" }]);
});

test("the last of the allowed declines cancels it", async () => {
  const checkoutId = await open();
  await pay(checkoutId, DECLINED);
  await pay(checkoutId, DECLINED);
  expect(await pay(checkoutId, DECLINED)).toMatchObject({ result: { status: "CANCELLED", attemptsLeft: 0 } });
  expect(await pay(checkoutId)).toMatchObject({ result: { status: "CANCELLED" } });
  expect(await paymentsOf(checkoutId)).toHaveLength(3);
});

test("a form that was open when the time ran out pays nothing", async () => {
  const checkoutId = await open();
  await letExpire(checkoutId);
  expect(await pay(checkoutId)).toMatchObject({ outcome: "done", result: { status: "EXPIRED" } });
  expect(await paymentsOf(checkoutId)).toEqual([]);
});

test("a payment begun in time decides, though its outcome is known only after the expiry", async () => {
  const checkoutId = await open();
  await payments.acquirerWill("sale", "hang");
  expect(await pay(checkoutId)).toMatchObject({
    outcome: "pending",
    result: { status: "OPEN", payment: { status: "ENROLLED" } },
  });
  await letExpire(checkoutId);
  expect(await pay(checkoutId)).toMatchObject({ outcome: "done", result: { payment: {} } });
  await eventually(async () => (await view(checkoutId)).status === "COMPLETED");
  expect(await paymentsOf(checkoutId)).toMatchObject([{ state: "SUCCESS" }]);
});

test("nobody has to look: rounds close what is over", async () => {
  const [expired, paid] = [await open(), await open()];
  await letExpire(expired);
  await payments.acquirerWill("sale", "hang");
  await pay(paid);
  await eventually(async () => (await storedState(expired)) === "EXPIRED");
  await eventually(async () => (await storedState(paid)) === "COMPLETED");
  expect(await paymentsOf(expired)).toEqual([]);
});

test("it is completed although the payment was cancelled before anybody looked", async () => {
  const checkoutId = await open();
  await pay(checkoutId);
  const [payment] = await paymentsOf(checkoutId);
  await payments.call(cancelPayment, { paymentId: payment!.payment_id, operationId: randomUUID() });
  await payments.query(
    "update payments.checkout set state = 'OPEN', closed_at = null where checkout_id = $1",
    [checkoutId],
  );
  await eventually(async () => (await storedState(checkoutId)) === "COMPLETED");
  expect(await view(checkoutId)).toMatchObject({ status: "COMPLETED", payment: { status: "CANCELLED" } });
});

test("a buyer who goes back cancels it, but not what is under way or paid", async () => {
  const left = await open();
  expect(await asPage(cancelCheckout, { checkoutId: left })).toMatchObject({
    result: { status: "CANCELLED" },
  });
  expect(await pay(left)).toMatchObject({ result: { status: "CANCELLED" } });
  expect(await paymentsOf(left)).toEqual([]);

  const underway = await open();
  await payments.acquirerWill("sale", "hang");
  await pay(underway);
  expect(await asPage(cancelCheckout, { checkoutId: underway })).toMatchObject({
    result: { status: "OPEN" },
  });
  await eventually(async () => (await view(underway)).status === "COMPLETED");
  expect(await asPage(cancelCheckout, { checkoutId: underway })).toMatchObject({
    result: { status: "COMPLETED" },
  });
});

test("installments are those of the checkout that the card allows", async () => {
  const checkoutId = await open({ installmentOptions: [3, 6, 12] });
  const inspect = (bin: string) => asPage(inspectCheckoutCard, { checkoutId, bin });
  expect(await inspect("411111")).toMatchObject({
    result: { cardScheme: "VISA", installmentCounts: [1, 3, 6, 12] },
  });
  expect(await inspect("55555555")).toMatchObject({ result: { installmentCounts: [1, 3, 6] } });
  expect(await inspect("123456")).toEqual({ outcome: "done", result: { installmentCounts: [1] } });
  expect(await pay(checkoutId, {}, { installmentCount: 2 })).toMatchObject({
    code: "installments_not_allowed",
    extra: { allowed: [1, 3, 6, 12] },
  });
  expect(await pay(checkoutId, { pan: "5555555555554444" }, { installmentCount: 12 })).toMatchObject({
    code: "installments_not_allowed",
  });
  expect(await paymentsOf(checkoutId)).toEqual([]);
  await letExpire(checkoutId);
  expect(await inspect("411111")).toMatchObject({ code: "checkout_not_found" });
});

const CHALLENGED = { pan: "4000000000003220" };

/** Where the challenge of the checkout's payment is, and the session that brings the browser back. */
async function challengeOf(checkoutId: string) {
  const [session] = await payments.query<{
    payment_id: string;
    session_id: string;
    challenge_url: string;
    challenge_fields: Record<string, string>;
  }>(
    "select three_ds_session.* from payments.three_ds_session join payments.checkout using (payment_id) where checkout_id = $1",
    [checkoutId],
  );
  const {
    payment_id: paymentId,
    session_id: sessionId,
    challenge_url: url,
    challenge_fields: fields,
  } = session!;
  return {
    answer: (answer: "right" | "wrong") => answerChallenge({ url, fields }, answer),
    comeBack: () => asPage(completePayment, { paymentId, sessionId }),
  };
}

test("with 3-D Secure the page leads to the challenge, and nothing else can be begun until it has ended", async () => {
  const checkoutId = await open({ threeDs: true });
  const first = form(checkoutId, CHALLENGED);
  const shown = await payments.call(payCheckout, first);
  expect(shown).toMatchObject({
    outcome: "done",
    result: { status: "OPEN", payment: { status: "ENROLLED" }, challengeUrl: first.session.pageUrl },
  });
  expect(await pay(checkoutId)).toMatchObject({ result: { payment: { paymentId: first.paymentId } } });
  expect(await payments.call(payCheckout, first)).toEqual(shown);
  await letExpire(checkoutId);
  expect(await view(checkoutId)).toMatchObject({ status: "OPEN", challengeUrl: first.session.pageUrl });

  const challenge = await challengeOf(checkoutId);
  await challenge.answer("right");
  await challenge.comeBack();
  expect(await view(checkoutId)).toMatchObject({ status: "COMPLETED", payment: { status: "SUCCESS" } });
  expect(await view(checkoutId)).not.toHaveProperty("challengeUrl");
  expect(await paymentsOf(checkoutId)).toHaveLength(1);
});

test("of eight cards enrolled at once one is challenged", async () => {
  const checkoutId = await open({ threeDs: true });
  await Promise.all(Array.from({ length: 8 }, () => pay(checkoutId, CHALLENGED)));
  expect(await paymentsOf(checkoutId)).toMatchObject([{ state: "ENROLLED" }]);
  const rows = await payments.query(
    "select payment_id from payments.payment where order_id = $1 and state = 'ENROLLED'",
    ["order-1"],
  );
  expect(rows).toHaveLength(1);
});

test("a failed challenge leaves the checkout to another card", async () => {
  const checkoutId = await open({ threeDs: true });
  await pay(checkoutId, CHALLENGED);
  const challenge = await challengeOf(checkoutId);
  await challenge.answer("wrong");
  await challenge.comeBack();
  expect(await view(checkoutId)).toMatchObject({
    status: "OPEN",
    attemptsLeft: 2,
    payment: { status: "FAILED" },
  });
  expect(await pay(checkoutId)).toMatchObject({ result: { status: "COMPLETED" } });
});

test("a card sealed for another payment is not opened", async () => {
  const checkoutId = await open();
  const other = form(checkoutId);
  const reply = await payments.call(payCheckout, { ...form(checkoutId), card: other.card });
  expect(reply).toEqual({ outcome: "problem", code: "internal_error" });
});
