import { randomUUID } from "node:crypto";
import { operations, releaseRefund, reserveRefund, settleRefund } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { purgeRefusals } from "./purge-refusals.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness();
  await payments.startAnother();
});
afterAll(() => payments.close());

async function sell(): Promise<string> {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "done" });
  return command.paymentId;
}
async function authorize(): Promise<string> {
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.send(command)).toMatchObject({ outcome: "done" });
  return command.paymentId;
}
const reserve = (paymentId: string, amountMinor: string, refundId: string = randomUUID(), currency = "TRY") =>
  payments.call(reserveRefund, { refundId, paymentId, amountMinor, currency, askedBy: [] });
const settle = (refundId: string) => payments.call(settleRefund, { refundId });
const release = (refundId: string) => payments.call(releaseRefund, { refundId });
const amounts = async (paymentId: string) =>
  (
    await payments.query(
      `select reserved_minor::int as reserved, refunded_minor::int as refunded, released_minor::int as released
       from payments.payment where payment_id = $1`,
      [paymentId],
    )
  )[0];

test("a reservation repeats what a refund record needs of the payment", async () => {
  const paymentId = await sell();
  const refundId = randomUUID();
  expect(await reserve(paymentId, "4000", refundId)).toMatchObject({
    outcome: "done",
    result: {
      refundId,
      kind: "refund",
      payment: {
        paymentId,
        orderId: expect.stringMatching(/^order-\d+$/),
        currency: "TRY",
        currencyExponent: 2,
        pan: "411111******1111",
      },
    },
  });
  expect(await amounts(paymentId)).toEqual({ reserved: 4000, refunded: 0, released: 0 });
});

test("whoever ends one waits for its payment first, so that nobody who has the payment waits for him", async () => {
  const paymentId = await sell();
  const refundId = randomUUID();
  await reserve(paymentId, "4000", refundId);
  const pool = new Pool({ connectionString: payments.database.superuserUrl });
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await holder.query("select from payments.payment where payment_id = $1 for update", [paymentId]);
    const settling = settle(refundId);
    await eventually(async () => {
      const { rowCount } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    await holder.query("select from payments.refund_reservation where refund_id = $1 for update nowait", [
      refundId,
    ]);
    await holder.query("commit");
    expect(await settling).toMatchObject({ outcome: "done" });
  } finally {
    holder.release();
    await pool.end();
  }
});

test("settling turns it into a refund, releasing frees it, each once however often it is said", async () => {
  const paymentId = await sell();
  const [paid, dropped] = [randomUUID(), randomUUID()];
  await reserve(paymentId, "4000", paid);
  await reserve(paymentId, "6000", dropped);
  for (let round = 0; round < 3; round++) {
    expect(await settle(paid)).toEqual({ outcome: "done", result: { refundId: paid } });
    expect(await release(dropped)).toEqual({ outcome: "done", result: { refundId: dropped } });
    expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 4000, released: 0 });
  }
  expect(await release(paid)).toMatchObject({ outcome: "problem" });
  expect(await settle(dropped)).toMatchObject({ outcome: "problem" });
  expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 4000, released: 0 });
});

test("of an authorization that was not captured it is a release", async () => {
  const paymentId = await authorize();
  const refundId = randomUUID();
  expect(await reserve(paymentId, "4000", refundId)).toMatchObject({ result: { kind: "release" } });
  await settle(refundId);
  expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 4000 });
  const captured = await payments.call(operations.capture.command, { paymentId, operationId: randomUUID() });
  expect(captured).toMatchObject({ outcome: "done", result: { capturedAmount: 60 } });
});

test("a copy gets the first answer, be it a reservation or a refusal, even when it could be granted now", async () => {
  const paymentId = await sell();
  const [first, second] = [randomUUID(), randomUUID()];
  const granted = await reserve(paymentId, "6000", first);
  expect(await reserve(paymentId, "6000", first)).toEqual(granted);
  const refused = await reserve(paymentId, "6000", second);
  expect(refused).toMatchObject({
    code: "refund_amount_exceeds_remaining",
    extra: { remainingRefundableAmount: 40 },
  });
  await release(first);
  expect(await reserve(paymentId, "6000", second)).toEqual(refused);
  expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
});

test("a refund that was released before its reservation arrived reserves nothing", async () => {
  const paymentId = await sell();
  const refundId = randomUUID();
  expect(await release(refundId)).toMatchObject({ outcome: "done" });
  expect(await reserve(paymentId, "4000", refundId)).toMatchObject({ outcome: "problem" });
  expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
});

test("another merchant's payment and an unknown one are refused alike", async () => {
  const paymentId = await sell();
  const stranger = { merchant: { merchantId: randomUUID() } };
  const part = { amountMinor: "1", currency: "TRY", askedBy: [] };
  const ask = (id: string) => ({ refundId: randomUUID(), paymentId: id, ...part });
  const unknown = { outcome: "problem", code: "payment_not_found" };
  expect(await payments.call(reserveRefund, ask(paymentId), stranger)).toEqual(unknown);
  expect(await payments.call(reserveRefund, ask(randomUUID()))).toEqual(unknown);
});

test("while something is reserved there is no capture and no cancellation, and after a refund no void", async () => {
  const paymentId = await authorize();
  const refundId = randomUUID();
  await reserve(paymentId, "1", refundId);
  const operation = () => ({ paymentId, operationId: randomUUID() });
  const refused = { outcome: "problem", code: "refund_pending" };
  expect(await payments.call(operations.capture.command, operation())).toMatchObject(refused);
  expect(await payments.call(operations.cancel.command, operation())).toMatchObject(refused);
  await release(refundId);
  expect(await payments.call(operations.capture.command, operation())).toMatchObject({ outcome: "done" });

  const sold = await sell();
  const paid = randomUUID();
  await reserve(sold, "1", paid);
  await settle(paid);
  expect(
    await payments.call(operations.cancel.command, { paymentId: sold, operationId: randomUUID() }),
  ).toMatchObject({
    outcome: "problem",
    code: "already_refunded",
  });
});

describe("raced over two processes", () => {
  /**
   * Asks until there is an answer, as `refunds` does: a process without a free connection cannot answer, and
   * the reservation's outcome stays the same.
   */
  const answered = (paymentId: string, amountMinor: string, refundId: string = randomUUID()) =>
    eventually(async () => {
      const reply = await reserve(paymentId, amountMinor, refundId);
      return (reply.outcome === "done" || reply.outcome === "problem") && reply;
    });

  test("of 150 refunds of 1 on a payment of 100 exactly 100 are reserved, and each is answered the same again", async () => {
    const paymentId = await sell();
    const ids = Array.from({ length: 150 }, () => randomUUID());
    const replies = await Promise.all(ids.map((refundId) => answered(paymentId, "100", refundId)));
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(100);
    expect(await amounts(paymentId)).toEqual({ reserved: 10_000, refunded: 0, released: 0 });
    expect(await Promise.all(ids.map((refundId) => answered(paymentId, "100", refundId)))).toEqual(replies);
    expect(await amounts(paymentId)).toEqual({ reserved: 10_000, refunded: 0, released: 0 });
  });

  test("of 50 refunds of 60 % exactly one is", async () => {
    const paymentId = await sell();
    const replies = await Promise.all(Array.from({ length: 50 }, () => answered(paymentId, "6000")));
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
  });

  test("a release and its reservation at once leave nothing reserved, or a reservation that can still be released", async () => {
    const paymentId = await sell();
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await Promise.all(ids.flatMap((refundId) => [reserve(paymentId, "100", refundId), release(refundId)]));
    for (const refundId of ids) expect(await release(refundId)).toMatchObject({ outcome: "done" });
    expect(await amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
  });

  test("a reservation and a cancellation at once: one of the two", async () => {
    for (let round = 0; round < 10; round++) {
      const paymentId = await sell();
      const [reserved, cancelled] = await Promise.all([
        reserve(paymentId, "100"),
        payments.call(operations.cancel.command, { paymentId, operationId: randomUUID() }),
      ]);
      expect([reserved.outcome, cancelled.outcome].toSorted()).toEqual(["done", "problem"]);
    }
  });
});

test("tombstones of refused requests are kept for late copies and then deleted; nothing else is", async () => {
  const paymentId = await sell();
  const [held, released, refused] = [randomUUID(), randomUUID(), randomUUID()];
  await reserve(paymentId, "4000", held);
  await release(released);
  expect(await reserve(paymentId, "6001", refused)).toMatchObject({ outcome: "problem" });
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  const purge = () => purgeRefusals(createDatabase<PaymentsDatabase>(pool), { olderThanMs: 3_600_000 });
  await purge();
  // A copy gets the first answer.
  expect(await reserve(paymentId, "6001", refused)).toMatchObject({
    code: "refund_amount_exceeds_remaining",
  });
  await payments.query(
    "update payments.refund_reservation set created_at = now() - interval '2 hours' where refund_id = any($1)",
    [[held, released, refused]],
  );
  expect(await purge()).toBe(1);
  await pool.end();
  expect(
    await payments.query(
      "select state from payments.refund_reservation where refund_id = any($1) order by state",
      [[held, released, refused]],
    ),
  ).toEqual([{ state: "ACTIVE" }, { state: "RELEASED" }]);
});
