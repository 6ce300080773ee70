import { randomUUID } from "node:crypto";
import { operations, type MerchantRules } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkouts, type CheckoutSteps } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { CHALLENGED, threeDs, type ThreeDsSteps } from "../../../test/three-ds-harness.ts";
import { PAYMENT_STATES, type PaymentState } from "../../payment/payment.ts";

/**
 * Two processes and a bank that may not answer; recovery looks at a payment only when its merchant reads it.
 */
let payments: PaymentsHarness;
let steps: ThreeDsSteps;
let pages: CheckoutSteps;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_SCHEDULE: "1h", RECOVERY_INTERVAL: "1h" });
  await payments.startAnother();
  steps = threeDs(payments);
  pages = checkouts(payments);
});
beforeEach(() => payments.acquirerWillBehave());
afterAll(() => payments.close());

/** A card whose payment the bank approves without an answer. */
const SILENT = { cardData: { pan: "4000000000000119" } };
const someOrder = () => `order ${randomUUID().slice(0, 8)}`;
const under = (key: string) =>
  payments.context({ idempotency: { key, scope: "POST /api/pre-authorization" } });
const undecided = (paymentId: string) => ({
  outcome: "problem",
  code: "order_undecided",
  extra: { paymentId },
});

/** A payment whose outcome is not known yet. */
async function undecidedPayment(orderId: string, context = payments.context()): Promise<string> {
  const command = payments.command({ ...SILENT, orderId });
  expect(await payments.send(command, context)).toMatchObject({ outcome: "pending" });
  return command.paymentId;
}

/** Its merchant reads the payment until the bank was asked. */
const decided = (paymentId: string) =>
  eventually(async () => {
    const reply = await payments.call(operations.getPayment.command, { paymentId });
    return "result" in reply && reply.result.status === "SUCCESS";
  });

const rowsOf = (orderId: string) =>
  payments.query<{ payment_id: string; state: PaymentState }>(
    "select payment_id, state from payments.payment where order_id = $1 order by created_at",
    [orderId],
  );

describe("while an attempt at an order is undecided", () => {
  test("a second one is refused with the first one's id, and nothing is written or sent; afterwards it is not", async () => {
    const orderId = someOrder();
    const first = await undecidedPayment(orderId);
    const second = payments.command({ orderId });
    expect(await payments.send(second)).toEqual(undecided(first));
    expect(await payments.call(operations.pay.command, payments.command({ orderId }))).toEqual(
      undecided(first),
    );
    expect(await steps.enrol(steps.command(CHALLENGED, { orderId }))).toEqual(undecided(first));
    expect(await rowsOf(orderId)).toHaveLength(1);
    expect(await payments.ledger(second.paymentId)).toEqual([]);
    await decided(first);
    expect(await payments.send(second)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  });

  test("a copy of the first one's message waits for its end, and is answered with that", async () => {
    const command = payments.command({ ...SILENT, orderId: someOrder() });
    expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
    const copies = [payments.send(command), payments.send(command, under(randomUUID()))];
    await decided(command.paymentId);
    for (const copy of await Promise.all(copies))
      expect(copy).toMatchObject({ outcome: "done", result: { paymentId: command.paymentId } });
  });

  test("another merchant's, another order, and one that the merchant allows are not", async () => {
    const orderId = someOrder();
    const first = await undecidedPayment(orderId);
    const merchantId = randomUUID();
    const stranger = payments.context({ merchant: { merchantId } });
    const SUCCESS = { outcome: "done", result: { status: "SUCCESS" } };
    expect(
      await payments.send(payments.command({ orderId, ofMerchant: merchantId }), stranger),
    ).toMatchObject(SUCCESS);
    expect(await payments.send(payments.command())).toMatchObject(SUCCESS);
    const allowed = { ...SILENT, orderId, allowConcurrentAttempt: true };
    expect(await payments.send(payments.command(allowed))).toMatchObject({ outcome: "pending" });
    // An allowed payment does not block other payments of its order.
    await decided(first);
    expect(await payments.send(payments.command({ orderId }))).toMatchObject(SUCCESS);
  });

  test("the same Idempotency-Key gets its own answer; another key keeps none, and says so until it may", async () => {
    const orderId = someOrder();
    const [key, other] = [randomUUID(), randomUUID()];
    const first = await undecidedPayment(orderId, under(key));
    const again = await payments.send(payments.command({ ...SILENT, orderId }), under(key));
    expect(again).toMatchObject({ outcome: "pending", result: { paymentId: first } });
    expect(await payments.send(payments.command({ orderId }), under(key))).toMatchObject({
      code: "idempotency_key_reused",
    });
    const allowed = payments.command({ ...SILENT, orderId, allowConcurrentAttempt: true });
    expect(await payments.send(allowed, under(key))).toMatchObject({ code: "idempotency_key_reused" });
    const second = payments.command({ orderId });
    expect(await payments.send(second, under(other))).toEqual(undecided(first));
    expect(await payments.send(second, under(other))).toEqual(undecided(first));
    await decided(first);
    expect(await payments.send(second, under(other))).toMatchObject({
      outcome: "done",
      result: { paymentId: second.paymentId },
    });
    expect(await payments.send(second, under(other))).not.toHaveProperty("code");
  });

  test("no merchant rule counts what is refused", async () => {
    const orderId = someOrder();
    const rules: MerchantRules = { attemptsPerCard: { max: 2, windowSeconds: 600 } };
    const context = payments.context({ merchant: { merchantId: payments.merchantId, rules } });
    const card = { cardData: { pan: "5555555555554444" } };
    await payments.acquirerWill("authorize", "hang");
    const first = payments.command({ ...card, orderId });
    expect(await payments.send(first, context)).toMatchObject({ outcome: "pending" });
    for (let count = 0; count < 3; count++) {
      const refused = await payments.send(payments.command({ ...card, orderId }), context);
      expect(refused).toEqual(undecided(first.paymentId));
    }
    const another = await payments.send(payments.command(card), context);
    expect(another).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  });
});

test("of fifty requests at once for one order, with and without keys, one reaches the bank, and all others name it", async () => {
  const orderId = someOrder();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      payments.send(
        payments.command({ ...SILENT, orderId }),
        index % 2 ? under(randomUUID()) : payments.context(),
      ),
    ),
  );
  const [only, ...more] = await rowsOf(orderId);
  expect(more).toEqual([]);
  const refused = replies.filter(({ outcome }) => outcome !== "pending");
  expect(refused).toEqual(Array.from({ length: 49 }, () => undecided(only!.payment_id)));
  expect(await payments.ledger(only!.payment_id)).toHaveLength(1);
  const [keys] = await payments.query<{ count: number }>(
    "select count(*)::int from payments.idempotency_key where resource_id not in (select payment_id from payments.payment)",
  );
  expect(keys).toEqual({ count: 0 });
});

test("of checkouts and enrolments of one order that are paid at once, too, one reaches the bank", async () => {
  const orderId = someOrder();
  await payments.acquirerWill("enrol", "hang", 16);
  const forms = await Promise.all(
    Array.from({ length: 8 }, (_, index) => pages.open({ orderId, threeDs: index % 2 === 0 })),
  );
  const replies = await Promise.all([
    ...forms.map((checkoutId) => pages.pay(checkoutId, SILENT.cardData)),
    ...forms.map(() => steps.enrol(steps.command(CHALLENGED, { orderId }))),
  ]);
  const [only, ...more] = await rowsOf(orderId);
  expect(more).toEqual([]);
  expect(replies.filter(({ outcome }) => outcome !== "pending")).toEqual(
    Array.from({ length: 15 }, () => undecided(only!.payment_id)),
  );
});

test("an order is taken while its payment's outcome at the bank is unknown, and in no other state", async () => {
  const orderId = someOrder();
  const paymentId = await undecidedPayment(orderId);
  const answers: Partial<Record<PaymentState, unknown>> = {};
  for (const state of PAYMENT_STATES) {
    await payments.query("update payments.payment set state = $2 where payment_id = $1", [paymentId, state]);
    const reply = await payments.send(payments.command({ orderId }));
    answers[state] = reply.outcome === "problem" ? reply.code : reply.outcome;
  }
  const [taken, free] = ["order_undecided", "done"];
  expect(answers).toEqual({
    ...Object.fromEntries(PAYMENT_STATES.map((state) => [state, free])),
    ENROLLING: taken,
    AUTHORIZING: taken,
    REVERSING: taken,
  });
});

describe("with 3-D Secure", () => {
  test("the order is free while the cardholder is at the challenge, and taken again with the completion", async () => {
    const orderId = someOrder();
    await steps.challenged({ orderId });
    const second = await steps.challenged({ orderId });
    await payments.acquirerWill("complete", "hang");
    expect(await steps.complete(second, await sessionOf(second))).toMatchObject({ outcome: "pending" });
    expect(await payments.send(payments.command({ orderId }))).toEqual(undecided(second.paymentId));
  });

  describe("an order that is paid while another challenge of it is open", () => {
    const complete = async (payment: Awaited<ReturnType<ThreeDsSteps["challenged"]>>) =>
      await steps.complete(payment, await sessionOf(payment));
    const succeeded = { outcome: "done", result: { payment: { status: "SUCCESS" } } };

    test("is not charged again: the payment of that challenge is cancelled, and the bank binds it", async () => {
      const orderId = someOrder();
      const first = await steps.challenged({ orderId });
      const second = await steps.challenged({ orderId });
      expect(await complete(second)).toMatchObject(succeeded);
      expect(await complete(first)).toMatchObject({
        outcome: "pending",
        result: { payment: { status: "ENROLLED" } },
      });
      // Recovery does so at once where it runs.
      await payments.operate(operations.reversePayment.command, { paymentId: first.paymentId });
      expect(await steps.ended(first.paymentId)).toMatchObject({
        state: "CANCELLED",
        resultCode: "order_paid",
        history: ["ENROLLING", "ENROLLED", "CANCELLING", "CANCELLED"],
        ledger: ["reverse approved"],
        events: ["CANCELLED"],
      });
      expect(await complete(first)).toMatchObject({
        outcome: "done",
        result: { payment: { status: "CANCELLED" } },
      });
    });

    test("is charged again where the merchant began that attempt afterwards, or allows several", async () => {
      const orderId = someOrder();
      expect(await complete(await steps.challenged({ orderId }))).toMatchObject(succeeded);
      const allowed = await steps.challenged({ orderId, allowConcurrentAttempt: true });
      expect(await complete(await steps.challenged({ orderId }))).toMatchObject(succeeded);
      expect(await complete(allowed)).toMatchObject(succeeded);
    });

    test("is charged where that payment has been cancelled, or is another merchant's", async () => {
      const orderId = someOrder();
      const first = await steps.challenged({ orderId });
      const paid = payments.command({ orderId });
      expect(await payments.send(paid)).toMatchObject({ outcome: "done" });
      const { paymentId } = paid;
      const cancelled = await payments.call(operations.cancel.command, {
        paymentId,
        operationId: randomUUID(),
      });
      expect(cancelled).toMatchObject({ outcome: "done" });
      const merchantId = randomUUID();
      const others = payments.command({ ofMerchant: merchantId, orderId });
      const reply = await payments.send(others, payments.context({ merchant: { merchantId } }));
      expect(reply).toMatchObject({ outcome: "done" });
      expect(await complete(first)).toMatchObject(succeeded);
    });
  });

  test("whoever has passed a challenge is not refused: of two of one order both are completed", async () => {
    const orderId = someOrder();
    const both = [await steps.challenged({ orderId }), await steps.challenged({ orderId })];
    const sessions = await Promise.all(both.map(sessionOf));
    await payments.acquirerWill("complete", "hang", 2);
    const replies = await Promise.all(both.map((each, index) => steps.complete(each, sessions[index])));
    for (const reply of replies) expect(reply).toMatchObject({ outcome: "pending" });
    expect((await rowsOf(orderId)).map(({ state }) => state)).toEqual(["AUTHORIZING", "AUTHORIZING"]);
    const claims = await payments.query<{ claims_order: boolean }>(
      "select claims_order from payments.payment where order_id = $1 order by claims_order",
      [orderId],
    );
    expect(claims).toEqual([{ claims_order: false }, { claims_order: true }]);
  });
});

/** The session that the browser brings back once its cardholder has passed. */
async function sessionOf({ challenge }: Awaited<ReturnType<ThreeDsSteps["challenged"]>>): Promise<string> {
  const fields = await steps.answer(challenge, "right");
  return fields.find(([name]) => name === "session")![1];
}

test.each([false, true])(
  "a checkout keeps to it; its own second form shows its payment (3-D Secure: %s)",
  async (is) => {
    const orderId = someOrder();
    const [first, second] = [await pages.open({ orderId }), await pages.open({ orderId, threeDs: is })];
    const paid = await pages.pay(first, SILENT.cardData);
    expect(paid).toMatchObject({ outcome: "pending" });
    const [payment] = await pages.paymentsOf(first);
    expect(await pages.pay(first)).toMatchObject({
      result: { status: "OPEN", payment: { status: "ENROLLED" } },
    });
    expect(await pages.pay(second)).toEqual(undecided(payment!.payment_id));
    expect(await pages.paymentsOf(second)).toEqual([]);
    expect(await payments.send(payments.command({ orderId }))).toEqual(undecided(payment!.payment_id));
  },
);
