import { randomUUID } from "node:crypto";
import { purgeIdempotencyKeys } from "@holdfast/idempotency";
import { createDatabase } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  // The bank is silent for long enough that the same request can be sent again meanwhile.
  payments = await startPaymentsHarness(
    { RECOVERY_SCHEDULE: "300ms,600ms", RECOVERY_INTERVAL: "50ms" },
    { hangMs: 5_000 },
  );
  await payments.startAnother();
});
afterAll(() => payments.close());

/** Two of these are the same request, but for the payment's id. */
const command = (change: Parameters<PaymentsHarness["command"]>[0] = {}) =>
  payments.command({ orderId: "order-1", ...change });

const under = (key: string, merchantId = payments.merchantId) =>
  payments.context({ merchant: { merchantId }, idempotency: { key, scope: "POST /api/pre-authorization" } });

const paymentsUnder = async (key: string) =>
  (
    await payments.query<{ payment_id: string }>(
      "select payment_id from payments.payment join payments.idempotency_key on resource_id = payment_id where key = $1",
      [key],
    )
  ).map(({ payment_id }) => payment_id);

describe("a repetition under the same key", () => {
  test("gets the first answer, marked as replayed, and makes no second payment", async () => {
    const key = randomUUID();
    const first = command();
    const second = command();
    const answer = await payments.send(first, under(key));
    expect(answer).toMatchObject({
      outcome: "done",
      result: { paymentId: first.paymentId, status: "SUCCESS" },
    });
    expect(await payments.send(second, under(key))).toEqual({ ...answer, replayed: true });
    expect(await paymentsUnder(key)).toEqual([first.paymentId]);
    expect(await payments.ledger(second.paymentId)).toEqual([]);
  });

  test("gets a decline as the decline it was", async () => {
    const key = randomUUID();
    const declined = { cardData: { pan: "4000000000009995" } };
    const answer = await payments.send(command(declined), under(key));
    expect(await payments.send(command(declined), under(key))).toEqual({
      ...answer,
      replayed: true,
    });
  });

  test("with another cvv is the same request: the cvv is not remembered", async () => {
    const key = randomUUID();
    await payments.send(command(), under(key));
    expect(await payments.send(command({ cardData: { cvv: "999" } }), under(key))).toMatchObject({
      replayed: true,
    });
  });

  test.each([
    ["order", { orderId: "order-2" }],
    ["amount", { amountMinor: "1251" }],
    ["currency", { currency: "EUR" }],
    ["holder", { cardHolderName: "Someone Else" }],
    ["card number", { cardData: { pan: "5555555555554444" } }],
    ["expiry", { cardData: { expiryYear: "31" } }],
    ["customer", { customerId: "c" }],
    ["address", { requestIp: "203.0.113.8" }],
    ["port", { requestPort: 444 }],
  ])("with another %s is refused", async (_field, change) => {
    const key = randomUUID();
    await payments.send(command(), under(key));
    expect(await payments.send(command(change), under(key))).toEqual({
      outcome: "problem",
      code: "idempotency_key_reused",
    });
    expect(await paymentsUnder(key)).toHaveLength(1);
  });

  test("while the first is running hears so; while its outcome is unknown, how it stands; later, how it ended", async () => {
    const key = randomUUID();
    const change = { cardData: { pan: "4000000000000119" } };
    const first = command(change);
    const firstAnswer = payments.send(first, under(key));
    await eventually(async () => (await paymentsUnder(key)).length === 1);
    expect(await payments.send(command(change), under(key))).toEqual({
      outcome: "problem",
      code: "idempotency_key_in_use",
    });
    expect(await firstAnswer).toMatchObject({ outcome: "pending" });
    const replies: string[] = [];
    await eventually(async () => {
      const reply = await payments.send(command(change), under(key));
      replies.push(reply.outcome);
      if (reply.outcome !== "done") return false;
      expect(reply).toMatchObject({
        result: { paymentId: first.paymentId, status: "SUCCESS" },
        replayed: true,
      });
      return true;
    });
    expect(replies.slice(0, -1).every((outcome) => outcome === "pending" || outcome === "problem")).toBe(
      true,
    );
    expect(await payments.ledger(first.paymentId)).toHaveLength(1);
  });
});

test("twenty at once over two processes make one payment", async () => {
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 20 }, () => payments.send(command(), under(key))));
  const [paymentId] = await paymentsUnder(key);
  expect(await paymentsUnder(key)).toHaveLength(1);
  for (const reply of replies) {
    if (reply.outcome === "done") expect(reply.result.paymentId).toBe(paymentId);
    else expect(reply).toEqual({ outcome: "problem", code: "idempotency_key_in_use" });
  }
  expect(replies.filter((reply) => reply.outcome === "done" && !reply.replayed)).toHaveLength(1);
  const [count] = await payments.query<{ count: number }>(
    "select count(*)::int from payments.payment where merchant_id = $1 and payment_id not in (select resource_id from payments.idempotency_key)",
    [payments.merchantId],
  );
  expect(count).toEqual({ count: 0 });
});

test("keys are each merchant's own", async () => {
  const key = randomUUID();
  const stranger = randomUUID();
  await payments.send(command(), under(key));
  const ours = command({ paymentId: randomUUID() });
  // The card was sealed for the first merchant, so the request fails there; the point is that the key did not
  // answer.
  expect(await payments.send(ours, under(key, stranger))).not.toHaveProperty("replayed");
});

test("keys older than their retention are forgotten, younger ones are not", async () => {
  const [old, young] = [randomUUID(), randomUUID()];
  await payments.send(command(), under(old));
  await payments.send(command(), under(young));
  await payments.query(
    "update payments.idempotency_key set created_at = now() - interval '8 days' where key = $1",
    [old],
  );
  const pool = new Pool({ connectionString: payments.database.urls.payments.app });
  expect(
    await purgeIdempotencyKeys(createDatabase<PaymentsDatabase>(pool), { olderThanMs: 7 * 86_400_000 }),
  ).toBe(1);
  await pool.end();
  expect(await paymentsUnder(old)).toEqual([]);
  expect(await paymentsUnder(young)).toHaveLength(1);
});
