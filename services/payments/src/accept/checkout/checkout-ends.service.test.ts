import { randomUUID } from "node:crypto";
import { cancelCheckout, operations } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkouts, type CheckoutSteps } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
let steps: CheckoutSteps;
beforeAll(async () => {
  payments = await startPaymentsHarness({
    CHECKOUT_INTERVAL: "50ms",
    CHECKOUT_ATTEMPTS_MAX: "2",
    OUTBOX_POLL_INTERVAL: "1h",
    RECOVERY_SCHEDULE: "1h",
  });
  steps = checkouts(payments);
});
afterAll(() => payments.close());

const DECLINED = { pan: "4000000000009995" };

const cancel = (checkoutId: string, options: Parameters<PaymentsHarness["call"]>[2] = {}) =>
  payments.call(operations.cancelCheckout.command, { checkoutId, requestId: randomUUID() }, options);

/** The events about a checkout, as they are written: type, status and body. */
const eventsOf = async (checkoutId: string) => {
  const rows = await payments.query<{ event_type: string; status: string; body: Buffer }>(
    "select event_type, status, body from payments.outbox where payment_id = $1",
    [checkoutId],
  );
  return rows.map(({ event_type, status, body }) => ({
    type: event_type,
    status,
    body: JSON.parse(body.toString()) as Record<string, unknown>,
  }));
};

test("a merchant cancels an open checkout, and nobody pays it afterwards", async () => {
  const checkoutId = await steps.open();
  expect(await cancel(checkoutId)).toMatchObject({ outcome: "done", result: { status: "CANCELLED" } });
  expect(await steps.pay(checkoutId)).toMatchObject({ result: { status: "CANCELLED" } });
  expect(await steps.paymentsOf(checkoutId)).toEqual([]);
  // A merchant may cancel as often as it likes.
  expect(await cancel(checkoutId)).toMatchObject({ outcome: "done", result: { status: "CANCELLED" } });
  expect(await eventsOf(checkoutId)).toHaveLength(1);
});

test("another merchant's checkout is not found, and stays open", async () => {
  const checkoutId = await steps.open();
  const merchant = { merchantId: randomUUID() };
  expect(await cancel(checkoutId, { merchant })).toMatchObject({ code: "checkout_not_found" });
  expect(await steps.view(checkoutId)).toMatchObject({ status: "OPEN" });
});

test("a repetition under one Idempotency-Key gets the stored answer", async () => {
  const checkoutId = await steps.open();
  const idempotency = { key: randomUUID(), scope: `POST /api/checkout/${checkoutId}/cancel` };
  const first = await cancel(checkoutId, { idempotency });
  expect(await cancel(checkoutId, { idempotency })).toEqual({ ...first, replayed: true });
});

test("a paid one cannot be cancelled, nor one that expired", async () => {
  const paid = await steps.open();
  await steps.pay(paid);
  expect(await cancel(paid)).toMatchObject({ code: "checkout_not_open", detail: "It is COMPLETED." });
  const expired = await steps.open();
  await steps.letExpire(expired);
  expect(await cancel(expired)).toMatchObject({ code: "checkout_not_open", detail: "It is EXPIRED." });
});

test("one whose payment is under way is refused for now, and the refusal is not stored", async () => {
  const checkoutId = await steps.open();
  await payments.acquirerWill("sale", "hang");
  await steps.pay(checkoutId);
  const idempotency = { key: randomUUID(), scope: "POST /cancel" };
  for (const _again of [1, 2]) {
    const refused = await cancel(checkoutId, { idempotency });
    expect(refused).toMatchObject({ code: "operation_in_progress" });
    expect(refused).not.toHaveProperty("replayed");
  }
});

test("of a cancellation and eight forms at the same moment one wins, and the bank agrees", async () => {
  for (let round = 0; round < 5; round++) {
    const checkoutId = await steps.open();
    const paying = Array.from({ length: 8 }, () => steps.pay(checkoutId));
    const cancelling = [cancel(checkoutId), payments.askAsGateway(cancelCheckout, { checkoutId })];
    await Promise.all([...paying, ...cancelling]);
    const made = await steps.paymentsOf(checkoutId);
    const { status } = await steps.view(checkoutId);
    expect(status).toBe(made.length === 0 ? "CANCELLED" : "COMPLETED");
    expect(made.length).toBeLessThanOrEqual(1);
    await eventually(async () => expect(await eventsOf(checkoutId)).toHaveLength(1));
  }
});

test("the event of one that expires while nobody reads it leaves without waiting for the next look", async () => {
  const checkoutId = await steps.open();
  await payments.query(
    "update payments.checkout set expires_at = now() + interval '1 second' where checkout_id = $1",
    [checkoutId],
  );
  await eventually(async () =>
    expect(
      await payments.query("select publish_attempts from payments.outbox where payment_id = $1", [
        checkoutId,
      ]),
    ).toEqual([{ publish_attempts: 1 }]),
  );
});

test("its end is one event, with the payment that completed it", async () => {
  const checkoutId = await steps.open({ amountMinor: "124990", installmentOptions: [3], customerId: "ada" });
  await steps.pay(checkoutId, {}, { installmentCount: 3 });
  const [{ payment_id: paymentId } = { payment_id: "" }] = await steps.paymentsOf(checkoutId);
  const installments = { count: 3, firstAmount: 416.64, furtherAmount: 416.63 };
  const [event, ...others] = await eventsOf(checkoutId);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    type: "checkout.completed",
    status: "COMPLETED",
    body: {
      checkoutId,
      status: "COMPLETED",
      amount: 1249.9,
      customerId: "ada",
      closedAt: expect.any(String),
      installments,
      payment: { paymentId, status: "SUCCESS" },
    },
  });
  // An address may have been made for one buyer.
  expect(event!.body).not.toHaveProperty("successUrl");
  expect(await payments.call(operations.getCheckout.command, { checkoutId })).toMatchObject({
    result: { installments },
  });
});

test("one that nobody paid tells that it expired, without a payment", async () => {
  const checkoutId = await steps.open();
  await steps.letExpire(checkoutId);
  await eventually(async () =>
    expect(await eventsOf(checkoutId)).toMatchObject([{ type: "checkout.expired", status: "EXPIRED" }]),
  );
  expect((await eventsOf(checkoutId))[0]!.body).not.toHaveProperty("payment");
});

test("the last decline tells that it was cancelled, with that payment", async () => {
  const checkoutId = await steps.open();
  await steps.pay(checkoutId, DECLINED);
  expect(await eventsOf(checkoutId)).toEqual([]);
  await steps.pay(checkoutId, DECLINED);
  expect(await eventsOf(checkoutId)).toMatchObject([
    { type: "checkout.cancelled", body: { payment: { status: "FAILED" } } },
  ]);
});

test("a payment in full has no installments", async () => {
  const checkoutId = await steps.open();
  await steps.pay(checkoutId);
  const read = await payments.call(operations.getCheckout.command, { checkoutId });
  expect(read).toMatchObject({ result: { status: "COMPLETED" } });
  expect(read).not.toHaveProperty("result.installments");
});
