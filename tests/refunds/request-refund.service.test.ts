import { randomUUID } from "node:crypto";
import { operations, type MessageContext } from "@holdfast/contracts";
import { armFailpoints } from "@holdfast/service-runtime";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;

beforeAll(async () => {
  const pool = { DATABASE_CONNECTIONS_MAX: "20" };
  refunds = await startRefundsHarness({ env: { ...FAST, ...pool } });
  await Promise.all([refunds.startRefunds(), refunds.startPayments()]);
});
afterEach(() => armFailpoints(undefined));
afterAll(() => refunds.close());

const rows = async (refundId: string) =>
  (
    await refunds.query<{ state: string }>("select state from refunds.refund where refund_id = $1", [
      refundId,
    ])
  ).map(({ state }) => state);
const keyed = (key: string = randomUUID()): Partial<MessageContext> => ({
  idempotency: { key, scope: "POST /api/payment/x/refund" },
});
const keysOf = (refundId: string) =>
  refunds.query("select key from refunds.idempotency_key where resource_id = $1", [refundId]);

describe("a request", () => {
  test("is queued with its amount reserved, and read back by its merchant alone", async () => {
    const paymentId = await refunds.pay();
    const reply = await refunds.ask(paymentId, "4000");
    expect(reply).toMatchObject({
      outcome: "done",
      result: {
        parentPaymentId: paymentId,
        status: "PENDING_APPROVAL",
        transactionType: "REFUND",
        amount: 40,
        orderId: expect.stringMatching(/^order-\d+$/),
        installmentCount: 1,
        pan: "411111******1111",
        cardScheme: "VISA",
      },
    });
    const refundId = "result" in reply ? reply.result.paymentId : "";
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 4000, refunded: 0, released: 0 });
    expect(await refunds.read(refundId)).toEqual(reply);
    const notFound = { outcome: "problem", code: "refund_not_found" };
    expect(await refunds.read(refundId, randomUUID())).toEqual(notFound);
    expect(await refunds.read(randomUUID())).toEqual(notFound);
    expect(await refunds.events(refundId)).toEqual([]);
  });

  test("that payments refuses leaves no row, and says what remains", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    expect(await refunds.ask(paymentId, "10001", { refundId })).toEqual({
      outcome: "problem",
      code: "refund_amount_exceeds_remaining",
      extra: { remainingRefundableAmount: 100 },
    });
    expect(await rows(refundId)).toEqual([]);
    expect(await refunds.ask(paymentId, "1", { currency: "EUR" })).toMatchObject({
      code: "currency_mismatch",
    });
    expect(await refunds.ask(randomUUID(), "1")).toMatchObject({ code: "payment_not_found" });
    const stranger = { merchant: { merchantId: randomUUID() } };
    expect(await refunds.ask(paymentId, "1", { change: stranger })).toEqual({
      outcome: "problem",
      code: "payment_not_found",
    });
  });

  test("about a refund's own id cannot be: refunds are not refunded; a stranger's is not even known", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "100");
    expect(await refunds.ask(refundId, "1")).toEqual({
      outcome: "problem",
      code: "payment_not_refundable",
      extra: { currentStatus: "PENDING_APPROVAL" },
    });
    const stranger = { merchant: { merchantId: randomUUID() } };
    expect(await refunds.ask(refundId, "1", { change: stranger })).toMatchObject({
      code: "payment_not_found",
    });
  });

  test("of a captured authorization is held to what was captured", async () => {
    const paymentId = await refunds.pay("10000", "authorization");
    await refunds.call(operations.capture.command, { paymentId, operationId: randomUUID(), amount: "60" });
    expect(await refunds.ask(paymentId, "6001")).toMatchObject({ extra: { remainingRefundableAmount: 60 } });
    const refundId = await refunds.queue(paymentId, "6000");
    await refunds.approve(refundId);
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 6000"]);
  });

  test("sent twice by the gateway, at once or later, is one refund with one answer", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    const change = keyed();
    const copies = await Promise.all(
      Array.from({ length: 5 }, () => refunds.ask(paymentId, "6000", { refundId, change })),
    );
    for (const copy of copies) expect(copy).toEqual(copies[0]);
    expect(copies[0]).toMatchObject({ outcome: "done", result: { paymentId: refundId } });
    expect(await refunds.ask(paymentId, "6000", { refundId, change })).toEqual(copies[0]);
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 6000 });
    const refused = randomUUID();
    const refusals = await Promise.all(
      Array.from({ length: 5 }, () => refunds.ask(paymentId, "6000", { refundId: refused })),
    );
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: "refund_amount_exceeds_remaining" });
  });
});

test("the merchant's reason is shown to the people who decide, and in no record or webhook of the merchant's", async () => {
  const paymentId = await refunds.pay();
  const reply = await refunds.ask(paymentId, "4000", { reason: "a damaged parcel" });
  if (!("result" in reply)) throw new Error(reply.outcome);
  const refundId = reply.result.paymentId;
  expect(await refunds.describe(refundId)).toMatchObject({ result: { requestReason: "a damaged parcel" } });
  await refunds.approve(refundId);
  const bodies = await refunds.query<{ body: string }>(
    "select convert_from(body, 'UTF8') as body from refunds.outbox where payment_id = $1",
    [refundId],
  );
  expect(bodies).not.toEqual([]);
  for (const shown of [reply.result, await refunds.read(refundId), bodies])
    expect(JSON.stringify(shown)).not.toContain("damaged");
});

describe("under an Idempotency-Key", () => {
  test("a repetition gets the stored answer, even after the refund has ended; another request is refused", async () => {
    const paymentId = await refunds.pay();
    const change = keyed();
    const first = await refunds.ask(paymentId, "4000", { change });
    expect(await refunds.ask(paymentId, "4000", { change })).toEqual({ ...first, replayed: true });
    if ("result" in first) await refunds.approve(first.result.paymentId);
    expect(await refunds.ask(paymentId, "4000", { change })).toEqual({ ...first, replayed: true });
    const reused = { outcome: "problem", code: "idempotency_key_reused" };
    expect(await refunds.ask(paymentId, "4001", { change })).toEqual(reused);
    expect(await refunds.ask(paymentId, "4000", { change, reason: "a damaged parcel" })).toEqual(reused);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 4000, released: 0 });
  });

  test("422 and 409 are repeated, 404 is not remembered", async () => {
    const paymentId = await refunds.pay();
    const tooMuch = keyed();
    const refusal = await refunds.ask(paymentId, "10001", { change: tooMuch });
    expect(await refunds.ask(paymentId, "10001", { change: tooMuch })).toEqual({
      ...refusal,
      replayed: true,
    });
    const own = keyed();
    const refundId = await refunds.queue(paymentId, "1");
    const notRefundable = await refunds.ask(refundId, "1", { change: own });
    expect(await refunds.ask(refundId, "1", { change: own })).toEqual({ ...notRefundable, replayed: true });
    const unknown = keyed();
    expect(await refunds.ask(randomUUID(), "1", { change: unknown })).toMatchObject({
      code: "payment_not_found",
    });
    expect(await refunds.ask(paymentId, "1", { change: unknown })).toMatchObject({ outcome: "done" });
  });

  test("a repetition while the first is running hears so; of twenty at once one refund comes", async () => {
    const paymentId = await refunds.pay();
    const change = keyed();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => refunds.ask(paymentId, "1000", { change })),
    );
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 1000 });
    for (const reply of replies) {
      if (reply.outcome === "problem") expect(reply.code).toBe("idempotency_key_in_use");
      else expect(reply).toMatchObject({ outcome: "done" });
    }
  });
});

describe("raced over two processes of each service", () => {
  /**
   * Behaves like an honest merchant: a 503 is repeated, and a 504 looked up until the answer is conclusive.
   */
  async function insist(paymentId: string, amountMinor: string): Promise<string> {
    for (;;) {
      const refundId = randomUUID();
      const reply = await refunds.ask(paymentId, amountMinor, { refundId });
      if (reply.outcome === "done") return reply.outcome;
      if (reply.outcome === "problem") return reply.code;
      if (reply.outcome === "not_started") continue;
      const found = await eventually(async () => {
        const read = await refunds.read(refundId);
        return (read.outcome === "done" || read.outcome === "problem") && read;
      });
      if (found.outcome === "done") return found.outcome;
    }
  }

  test("of 150 refunds of 1 on a payment of 100 exactly 100 are accepted", async () => {
    const paymentId = await refunds.pay();
    const answers = await Promise.all(Array.from({ length: 150 }, () => insist(paymentId, "100")));
    expect(answers.filter((answer) => answer === "done")).toHaveLength(100);
    expect(answers.filter((answer) => answer === "refund_amount_exceeds_remaining")).toHaveLength(50);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 10_000, refunded: 0, released: 0 });
    const [left] = await refunds.query<{ count: number }>(
      "select count(*)::int from refunds.refund where payment_id = $1",
      [paymentId],
    );
    expect(left?.count).toBe(100);
  });

  test("of 50 refunds of 60 % exactly one is", async () => {
    const paymentId = await refunds.pay();
    const answers = await Promise.all(Array.from({ length: 50 }, () => insist(paymentId, "6000")));
    expect(answers.filter((answer) => answer === "done")).toHaveLength(1);
  });
});

describe("a request that was claimed", () => {
  test("past its deadline is dropped with its key, and payments is not asked", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    armFailpoints("refunds.after_claim:delay(400ms)@1");
    const change = { ...keyed(), deadlineAt: Date.now() + 300 };
    expect(await refunds.ask(paymentId, "100", { refundId, change })).not.toMatchObject({ outcome: "done" });
    await eventually(async () => expect(await rows(refundId)).toEqual([]));
    expect(await keysOf(refundId)).toEqual([]);
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 0 });
    const [reserved] = await refunds.query(
      "select state from payments.refund_reservation where refund_id = $1 and state = 'ACTIVE'",
      [refundId],
    );
    expect(reserved).toBeUndefined();
  });

  test.each(["refunds.after_claim", "refunds.after_reservation"] as const)(
    "and went no further %s is shown to nobody, and undone",
    async (point) => {
      const paymentId = await refunds.pay();
      const refundId = randomUUID();
      const change = keyed();
      const hits = armFailpoints(`${point}:hang@1`);
      refunds.ask(paymentId, "10000", { refundId, change }).catch(() => {});
      await eventually(() => hits(point) > 0);
      expect(await rows(refundId)).toEqual(["RESERVING"]);
      expect(await refunds.read(refundId)).toEqual({ outcome: "not_started" });
      expect(await refunds.describe(refundId)).toEqual({ outcome: "not_started" });
      // `payments` does not know the refund before its amount is reserved.
      expect(await refunds.approve(refundId)).toMatchObject(
        point === "refunds.after_claim" ? { code: "refund_not_found" } : { outcome: "not_started" },
      );
      expect(await refunds.ask(paymentId, "10000", { change })).toMatchObject({
        code: "idempotency_key_in_use",
      });
      await refunds.query("update refunds.refund set recover_at = now() where refund_id = $1", [refundId]);
      await eventually(async () => expect(await rows(refundId)).toEqual([]));
      expect(await keysOf(refundId)).toEqual([]);
      expect(await refunds.read(refundId)).toMatchObject({ code: "refund_not_found" });
      expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
      expect(await refunds.ask(paymentId, "10000", { change })).toMatchObject({
        outcome: "done",
      });
    },
  );

  test("and is sent again once the refund was decided has the first answer under its key, not the state since", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    const change = keyed();
    const hits = armFailpoints("refunds.after_request:hold@1");
    const first = refunds.ask(paymentId, "10000", { refundId, change });
    await eventually(() => hits("refunds.after_request") > 0);
    await refunds.reject(refundId);
    const again = await refunds.ask(paymentId, "10000", { refundId, change });
    const repetition = await refunds.ask(paymentId, "10000", { change });
    armFailpoints(undefined);
    const answer = await first;
    expect(answer).toMatchObject({ outcome: "done", result: { status: "PENDING_APPROVAL" } });
    expect(again).toEqual(answer);
    expect(repetition).toEqual({ ...answer, replayed: true });
  });

  test("and comes back after it was undone reserves nothing and shows nothing", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    armFailpoints("refunds.after_claim:hold@1");
    const sent = refunds.ask(paymentId, "10000", { refundId });
    await eventually(async () => expect(await rows(refundId)).toEqual(["RESERVING"]));
    await refunds.query("update refunds.refund set recover_at = now() where refund_id = $1", [refundId]);
    await eventually(async () => expect(await rows(refundId)).toEqual([]));
    armFailpoints(undefined);
    expect(await sent).toMatchObject({ outcome: "not_started" });
    expect(await rows(refundId)).toEqual([]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
  });
});

test("with payments away nothing was started, and nothing is left", async () => {
  const alone = await startRefundsHarness({ env: FAST, running: ["refunds"] });
  const refundId = randomUUID();
  expect(await alone.ask(randomUUID(), "100", { refundId, change: keyed() })).toEqual({
    outcome: "not_started",
  });
  expect(await alone.query("select from refunds.refund")).toEqual([]);
  expect(await alone.query("select from refunds.idempotency_key")).toEqual([]);
  await alone.close();
});
