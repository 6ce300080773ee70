import { operations, recordChargebackLines, reserveRefund } from "@holdfast/contracts";
import { randomUUID } from "node:crypto";
import { eventually } from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/** Approved payments that the bank will not take back, and what is left to people then. */
let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h", WATCH_INTERVAL: "50ms" });
});
afterEach(() => payments.acquirerWillBehave());
afterAll(() => payments.close());

const reverse = (paymentId: string) =>
  payments.operate(operations.reversePayment.command, { paymentId }, "alice");
const describePaymentNow = (paymentId: string) =>
  payments.operate(operations.getOperatorPayment.command, { paymentId });
const resolve = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
  payments.operate(operations.resolvePayment.command, { paymentId, outcome, evidence: "call 17" }, name);
const closeDay = async () => {
  expect((await fetch(`${payments.acquirer.url}/business-day/close`, { method: "POST" })).ok).toBe(true);
};

/** A sale that the bank approved and never answered, long enough ago for operators to decide about it. */
async function soldInDoubt(): Promise<string> {
  const command = payments.command({ amountMinor: "10000", cardData: { pan: "4000000000000119" } });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
  const earlier = "created_at = created_at - interval '1 minute' where payment_id = $1";
  await payments.query(`update payments.payment set ${earlier}`, [command.paymentId]);
  await payments.query(
    "update payments.bank_call set sent_at = sent_at - interval '1 hour' where payment_id = $1",
    [command.paymentId],
  );
  return command.paymentId;
}

const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(({ operation, outcome, amountMinor, reference }) =>
    `${operation} ${outcome} ${amountMinor} ${reference.slice(paymentId.length)}`.trim(),
  );
const events = (paymentId: string) =>
  payments.query("select status from payments.outbox where payment_id = $1", [paymentId]);

describe("a reversal after the bank has settled its day", () => {
  test("is a refund under a reference of its own, and only then the payment is FAILED", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    expect(await reverse(paymentId)).toMatchObject({
      result: { state: "REVERSING", reversal: { status: "REFUNDING" }, lastInquiry: "reversal_settled" },
    });
    expect(await events(paymentId)).toEqual([]);
    expect(await reverse(paymentId)).toMatchObject({
      result: {
        payment: { status: "FAILED", resultCode: "reversed" },
        reversal: { status: "DONE" },
        history: [{}, { to: "REVERSING" }, { to: "FAILED", cause: "refunded" }],
      },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "refund approved 10000 :reversal"]);
    expect(await events(paymentId)).toEqual([{ status: "FAILED" }]);
  });

  test("refunds once, however often the answer is lost", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    await payments.acquirerWill("refund", "hang");
    expect(await reverse(paymentId)).toMatchObject({ result: { lastInquiry: "refund_connection_lost" } });
    expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "refund approved 10000 :reversal"]);
  });

  test("is not over while the bank has refunded another amount under that reference", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    const reference = `${paymentId}:reversal`;
    await payments.acquirerGets("refund", { reference, parentReference: paymentId, amountMinor: 4_000 });
    expect(await reverse(paymentId)).toMatchObject({
      result: { state: "REVERSING", lastInquiry: "refund_mismatch" },
    });
    expect(await events(paymentId)).toEqual([]);
  });

  test("beside a refund of another amount is ended as FAILED by two people, and looked at once more", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({ code: "bank_says_settled" });
    const reference = `${paymentId}:reversal`;
    await payments.acquirerGets("refund", { reference, parentReference: paymentId, amountMinor: 4_000 });
    await reverse(paymentId);
    expect(await resolve("alice", paymentId, "SUCCESS")).toMatchObject({ code: "reversal_pending" });
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({ result: { state: "REVERSING" } });
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "resolved" } },
    });
    expect(await events(paymentId)).toEqual([{ status: "FAILED" }]);
    await payments.query("update payments.payment_watch set due_at = now() where payment_id = $1", [
      paymentId,
    ]);
    const watched = async () =>
      await payments.query(
        "select last_inquiry, attempts from payments.payment_watch where payment_id = $1 and ended_at is not null",
        [paymentId],
      );
    await eventually(async () => (await watched()).length === 1);
    expect(await watched()).toEqual([{ last_inquiry: "refund_mismatch", attempts: 1 }]);
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "refund approved 4000 :reversal"]);
  });

  test("takes the next reference where the bank calls the refund too late", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    await payments.acquirerWill("refund", "expire");
    for (let attempt = 0; attempt < 3; attempt++) await reverse(paymentId);
    expect(await describePaymentNow(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await ledger(paymentId)).toEqual([
      "sale approved 10000",
      "refund declined 10000 :reversal",
      "refund approved 10000 :reversal:2",
    ]);
  });

  test("sends no refund after a chargeback, and waits for people, who book it", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    const line = { lineId: "a".repeat(64), kind: "CHARGEBACK" as const, paymentId, currency: "TRY" };
    await payments.askAsGateway(recordChargebackLines, { lines: [{ ...line, amountMinor: "10000" }] });
    expect(await reverse(paymentId)).toMatchObject({
      result: { unresolved: true, lastInquiry: "refund_declined" },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({ code: "bank_says_settled" });
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { payment: { status: "SUCCESS", chargedBackAmount: 100, refundableAmount: 0 } },
    });
  });

  test("is not booked after a chargeback while its refund may still arrive", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    await payments.acquirerWill("refund", "hang_before");
    await reverse(paymentId);
    const line = { lineId: "b".repeat(64), kind: "CHARGEBACK" as const, paymentId, currency: "TRY" };
    await payments.askAsGateway(recordChargebackLines, { lines: [{ ...line, amountMinor: "10000" }] });
    expect(await reverse(paymentId)).toMatchObject({ result: { lastInquiry: "refund_pending" } });
    expect(await resolve("alice", paymentId, "SUCCESS")).toMatchObject({ code: "reversal_pending" });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);
  });

  test("whose refund is declined, too, waits for people, who book it", async () => {
    const paymentId = await soldInDoubt();
    await closeDay();
    await reverse(paymentId);
    await payments.acquirerWill("refund", "decline");
    expect(await reverse(paymentId)).toMatchObject({
      result: { unresolved: true, reversal: { status: "REFUSED", resultCode: "05" } },
    });
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({ code: "bank_says_settled" });
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { payment: { status: "SUCCESS" } },
    });
  });
});

describe("a reversal that the bank refuses for another reason", () => {
  let paymentId: string;
  const refuse = async () => {
    paymentId = await soldInDoubt();
    await payments.acquirerWill("reverse", "refuse");
    expect(await reverse(paymentId)).toMatchObject({
      result: {
        unresolved: true,
        lastInquiry: "reversal_refused",
        reversal: { status: "REFUSED", resultCode: "21", refusedAt: expect.any(String) },
      },
    });
  };

  test("cannot be FAILED by people: the bank says that the money stands", async () => {
    await refuse();
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({
      outcome: "problem",
      code: "bank_says_settled",
      extra: { resultCode: "21" },
    });
    expect(await events(paymentId)).toEqual([]);
  });

  test("can be booked by two people, and is then refundable", async () => {
    await refuse();
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: {
        payment: { status: "SUCCESS", version: 3 },
        reversal: { status: "REFUSED" },
        history: [{}, { to: "REVERSING" }, { to: "SUCCESS", cause: "resolved_by_operators" }],
      },
    });
    expect(await events(paymentId)).toEqual([{ status: "SUCCESS" }]);
    const refund = { refundId: randomUUID(), paymentId, amountMinor: "10000", currency: "TRY" };
    expect(await payments.call(reserveRefund, { ...refund, askedBy: [] })).toMatchObject({ outcome: "done" });
  });

  test("is not booked where a later reversal has been carried out", async () => {
    await refuse();
    await payments.acquirerWill("reverse", "hang");
    expect(await reverse(paymentId)).toMatchObject({ result: { state: "REVERSING" } });
    // The reversal was sent so long ago that it can no longer arrive: the bank is asked for its outcome.
    await payments.query(
      "update payments.bank_call set sent_at = sent_at - interval '1 day' where payment_id = $1 and kind = 'reverse'",
      [paymentId],
    );
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toEqual({
      outcome: "problem",
      code: "reversal_pending",
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "reverse approved 10000"]);
    expect(await events(paymentId)).toEqual([]);
    expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
  });

  test("is not booked while the bank cannot be asked whether it stands", async () => {
    await refuse();
    await resolve("alice", paymentId, "SUCCESS");
    await payments.acquirerWill("inquire", "http_500");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({ code: "reversal_pending" });
    expect(await events(paymentId)).toEqual([]);
  });

  test("ends by itself when the bank reverses after all", async () => {
    await refuse();
    expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "reverse approved 10000"]);
  });
});

describe("FAILED by two people", () => {
  test("never stands beside a charge: the reversal is sent first", async () => {
    const paymentId = await soldInDoubt();
    await resolve("alice", paymentId, "FAILED");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "reversed" } },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "reverse approved 10000"]);
  });

  test("is refused where the bank refuses that reversal", async () => {
    const paymentId = await soldInDoubt();
    await resolve("alice", paymentId, "FAILED");
    await payments.acquirerWill("reverse", "refuse");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      code: "bank_says_settled",
      extra: { resultCode: "21" },
    });
    expect(await describePaymentNow(paymentId)).toMatchObject({
      result: { state: "REVERSING", payment: { status: "ENROLLED" } },
    });
  });

  test("needs a reversal that has left this machine", async () => {
    const alone = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
    const command = alone.command({ cardData: { pan: "4000000000000119" } });
    expect(await alone.call(operations.pay.command, command)).toMatchObject({ outcome: "pending" });
    await alone.query("update payments.payment set created_at = created_at - interval '1 minute'");
    await alone.query("update payments.bank_call set sent_at = sent_at - interval '1 hour'");
    const say = (name: string) =>
      alone.operate(
        operations.resolvePayment.command,
        { paymentId: command.paymentId, outcome: "FAILED", evidence: "call 17" },
        name,
      );
    await say("alice");
    await alone.acquirer.close();
    expect(await say("bora")).toEqual({ outcome: "problem", code: "reversal_pending" });
    await alone.close();
  });

  test("stands by the people's evidence where the bank took the reversal and says nothing of it", async () => {
    const paymentId = await soldInDoubt();
    await resolve("alice", paymentId, "FAILED");
    await payments.acquirerWill("reverse", "hang");
    await payments.acquirerWill("inquire", "http_500", 2);
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "resolved" } },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000", "reverse approved 10000"]);
  });

  test("ends by the bank's own word where it did not answer the reversal but tells of it", async () => {
    const paymentId = await soldInDoubt();
    await resolve("alice", paymentId, "FAILED");
    await payments.acquirerWill("reverse", "hang");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "reversed" } },
    });
  });

  test("waits while the bank says that the charge stands, though it took the reversal", async () => {
    const paymentId = await soldInDoubt();
    await resolve("alice", paymentId, "FAILED");
    await payments.acquirerWill("reverse", "hang_before");
    expect(await resolve("bora", paymentId, "FAILED")).toEqual({
      outcome: "problem",
      code: "reversal_pending",
    });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);
    expect(await events(paymentId)).toEqual([]);
    expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
  });
});

describe("SUCCESS by two people", () => {
  test("is refused where the bank says that nothing is charged, which recovery then records", async () => {
    const paymentId = await soldInDoubt();
    await payments.acquirerGets("reverse", { reference: paymentId, amountMinor: 10_000 });
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({ code: "invalid_payment_state" });
    expect(await events(paymentId)).toEqual([]);
    expect(await payments.operate(operations.inquirePayment.command, { paymentId }, "alice")).toMatchObject({
      result: { payment: { status: "FAILED", resultCode: "reversed" } },
    });
  });
});

test("a part that the bank approved is reversed in the bank's own amount", async () => {
  await payments.acquirerWill("sale", "partial");
  const command = payments.command({ amountMinor: "10000" });
  expect(await payments.call(operations.pay.command, command)).toMatchObject({
    outcome: "pending",
    result: { status: "ENROLLED" },
  });
  const { paymentId } = command;
  await payments.acquirerWill("reverse", "hang_before");
  expect(await reverse(paymentId)).toMatchObject({
    result: { state: "REVERSING", reversal: { status: "PENDING", approvedAmount: 50 } },
  });
  expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
  expect(await ledger(paymentId)).toEqual(["sale approved 5000", "reverse approved 5000"]);
});
