import { randomUUID } from "node:crypto";
import { readAuditEntries, verifyAuditChain } from "@holdfast/audit";
import { operations, readAuditLog, reserveRefund, type ListPlace } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({
    RECOVERY_INTERVAL: "1h",
    EXPIRY_INTERVAL: "50ms",
    WATCH_INTERVAL: "50ms",
  });
});
afterAll(() => payments.close());

const inquire = (paymentId: string) =>
  payments.operate(operations.inquirePayment.command, { paymentId }, "alice");
const reverse = (paymentId: string) =>
  payments.operate(operations.reversePayment.command, { paymentId }, "alice");
const resolve = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
  payments.operate(operations.resolvePayment.command, { paymentId, outcome, evidence: "call 17" }, name);
const list = (limit: number, after?: ListPlace) =>
  payments.operate(operations.listPaymentsOfMerchants.command, {
    limit,
    after,
    filter: {},
    unresolved: true,
  });

/** A payment the acquirer never answered about: approved there (…0119) or never seen (…0127). */
async function unresolved(pan = "4000000000000127"): Promise<string> {
  const command = payments.command({ cardData: { pan } });
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  return command.paymentId;
}

/**
 * Makes the payment old enough for operators to decide about it: nothing that was sent can arrive any more.
 */
async function grown(paymentId: string, by = "1 hour"): Promise<string> {
  for (const [table, column] of [
    ["payment", "created_at"],
    ["payment_operation", "created_at"],
    ["payment_resolution", "proposed_at"],
    ["bank_call", "sent_at"],
  ])
    await payments.query(
      `update payments.${table} set ${column} = ${column} - interval '${by}' where payment_id = $1`,
      [paymentId],
    );
  return paymentId;
}

/** The refusal names a time in the next half an hour. */
const tooYoung = () => ({
  outcome: "problem",
  code: "too_young",
  extra: {
    notBefore: expect.toSatisfy((time: string) => {
      const minutes = (Date.parse(time) - Date.now()) / 60_000;
      return minutes > 0 && minutes < 30;
    }),
  },
});

const audited = (paymentId: string) =>
  payments.query<{ actor: string; action: string }>(
    "select actor, action from payments.audit_entry where subject = $1 order by sequence",
    [paymentId],
  );

const settled = { outcome: "problem", code: "invalid_payment_state" };

describe("the list of unresolved payments", () => {
  test("shows what waits for the bank, oldest first, page by page, and nothing that is settled or under way", async () => {
    await payments.query("update payments.payment set recover_at = null");
    const settledCommand = payments.command();
    await payments.send(settledCommand);
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push(await unresolved());
    const seen: string[] = [];
    let after: ListPlace | undefined;
    do {
      const page = await list(2, after);
      if (page.outcome !== "done") throw new Error(page.outcome);
      seen.push(...page.result.items.map(({ id }) => id));
      expect(page.result.items[0]!.item).toMatchObject({
        merchantId: payments.merchantId,
        state: "AUTHORIZING",
        unresolved: true,
        overdue: false,
        attempts: 1,
        lastInquiry: "connection_lost",
        payment: { status: "ENROLLED" },
      });
      after = page.result.readTo;
    } while (after);
    expect(seen).toEqual(ids);
  });

  test("marks those older than a day", async () => {
    const paymentId = await unresolved();
    await payments.query(
      "update payments.payment set created_at = now() - interval '25 hours' where payment_id = $1",
      [paymentId],
    );
    const page = await list(1);
    expect(page).toMatchObject({ result: { items: [{ item: { payment: { paymentId }, overdue: true } }] } });
  });
});

test("one payment shows with its history; an unknown one does not", async () => {
  const paymentId = await unresolved();
  const ask = (id: string) => payments.operate(operations.getOperatorPayment.command, { paymentId: id });
  expect(await ask(paymentId)).toMatchObject({
    outcome: "done",
    result: {
      history: [{ version: 1, to: "AUTHORIZING", cause: "claimed" }],
      operations: [],
      bankOrderId: paymentId.replaceAll("-", ""),
      requestIp: expect.any(String),
      requestPort: expect.any(Number),
    },
  });
  expect(await ask(randomUUID())).toEqual({ outcome: "problem", code: "payment_not_found" });
});

describe("inquire", () => {
  test("adopts what the bank approved, and is audited", async () => {
    const paymentId = await unresolved("4000000000000119");
    expect(await inquire(paymentId)).toMatchObject({
      outcome: "done",
      result: { unresolved: false, payment: { status: "SUCCESS" } },
    });
    expect(await audited(paymentId)).toEqual([{ actor: "alice", action: "payment.inquired" }]);
    expect(await inquire(paymentId)).toMatchObject({ ...settled, extra: { currentStatus: "SUCCESS" } });
  });

  test("leaves alone what a process is working on", async () => {
    const paymentId = await unresolved();
    await payments.query(
      "update payments.payment set lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute' where payment_id = $1",
      [paymentId],
    );
    expect(await inquire(paymentId)).toEqual({ outcome: "problem", code: "operation_in_progress" });
    expect(await audited(paymentId)).toEqual([]);
  });
});

test("reverse is final: the payment is FAILED once the bank has acknowledged", async () => {
  const paymentId = await unresolved("4000000000000119");
  expect(await reverse(paymentId)).toMatchObject({
    result: {
      payment: { status: "FAILED", resultCode: "reversed" },
      history: [{ to: "AUTHORIZING" }, { to: "REVERSING", cause: "operator_reversal" }, { to: "FAILED" }],
    },
  });
  expect((await payments.ledger(paymentId)).map(({ operation }) => operation)).toEqual([
    "authorize",
    "reverse",
  ]);
  expect(await audited(paymentId)).toEqual([{ actor: "alice", action: "payment.reversal_decided" }]);
});

describe("resolve", () => {
  let paymentId: string;
  beforeEach(async () => {
    paymentId = await grown(await unresolved());
  });

  test("takes two different people who say the same; then the payment is settled, with its event", async () => {
    expect(await resolve("alice", paymentId, "SUCCESS")).toMatchObject({
      outcome: "done",
      result: {
        unresolved: true,
        resolution: { outcome: "SUCCESS", proposedBy: "alice", confirmations: 1, confirmationsRequired: 2 },
      },
    });
    expect(await resolve("alice", paymentId, "SUCCESS")).toEqual({ outcome: "problem", code: "same_person" });
    const confirmed = await resolve("bora", paymentId, "SUCCESS");
    expect(confirmed).toMatchObject({ result: { unresolved: false, payment: { status: "SUCCESS" } } });
    expect(confirmed).not.toHaveProperty("result.resolution");
    expect(
      await payments.query("select status from payments.outbox where payment_id = $1", [paymentId]),
    ).toEqual([{ status: "SUCCESS" }]);
    expect(await audited(paymentId)).toEqual([
      { actor: "alice", action: "payment.resolution_proposed" },
      { actor: "alice", action: "payment.resolution_refused" },
      { actor: "bora", action: "payment.resolved" },
    ]);
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject(settled);
  });

  test("another outcome by another person is a proposal of its own", async () => {
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { unresolved: true, resolution: { outcome: "FAILED", proposedBy: "bora" } },
    });
    expect(await resolve("alice", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED" } },
    });
  });

  test("is too early until what was sent can arrive no more, and says when that is", async () => {
    // The default late arrival is 15 minutes.
    const young = await grown(await unresolved(), "14 minutes");
    for (const outcome of ["SUCCESS", "FAILED"] as const) {
      expect(await resolve("alice", young, outcome)).toEqual(tooYoung());
    }
    expect(await audited(young)).toEqual([]);
  });

  test("needs no patience where certainly nothing was sent", async () => {
    const unsent = await unresolved();
    await payments.query(
      "update payments.bank_call set outcome = 'not_sent', answered_at = now() where payment_id = $1",
      [unsent],
    );
    expect(await resolve("alice", unsent, "FAILED")).toMatchObject({ outcome: "done" });
  });

  test("cannot make SUCCESS of what is being reversed", async () => {
    await payments.query("update payments.payment set state = 'REVERSING' where payment_id = $1", [
      paymentId,
    ]);
    expect(await resolve("alice", paymentId, "SUCCESS")).toEqual({
      outcome: "problem",
      code: "reversal_pending",
    });
    await resolve("alice", paymentId, "FAILED");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { payment: { status: "FAILED" } },
    });
  });

  test("books what the bank has approved and named, also where it shows the refusal of another try", async () => {
    await payments.acquirerGets("sale", {
      reference: paymentId,
      amountMinor: 10_000,
      card: { pan: "4000000000000002", expiryMonth: "12", expiryYear: "30", cvv: "000" },
      cardHolderName: "Ada Lovelace",
      installmentCount: 1,
      expiresAt: new Date(Date.now() + 60_000),
    });
    await payments.query(
      `update payments.bank_call set heard_at = now(), external_transaction_id = 'approved-1', auth_code = '123456'
       where payment_id = $1`,
      [paymentId],
    );
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { payment: { status: "SUCCESS", externalTransactionId: "approved-1", authCode: "123456" } },
    });
  });

  test("two confirmations at once settle it once", async () => {
    await resolve("alice", paymentId, "FAILED");
    const replies = await Promise.all([
      resolve("bora", paymentId, "FAILED"),
      resolve("cem", paymentId, "FAILED"),
    ]);
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
    expect(
      await payments.query("select 1 from payments.outbox where payment_id = $1", [paymentId]),
    ).toHaveLength(1);
  });
});

test("the audit log reads newest first and its chain is intact until somebody touches it", async () => {
  const page = await payments.operate(readAuditLog.payments, { limit: 3 });
  if (page.outcome !== "done") throw new Error(page.outcome);
  const sequences = page.result.entries.map(({ sequence }) => sequence);
  expect(sequences).toEqual([sequences[0]!, sequences[0]! - 1, sequences[0]! - 2]);
  const last = page.result.entries.at(-1)!;
  const next = await payments.operate(readAuditLog.payments, { limit: 1, before: last });
  expect(next).toMatchObject({ result: { entries: [{ sequence: last.sequence - 1 }] } });

  const pool = new Pool({ connectionString: payments.database.superuserUrl });
  const verify = () => verifyAuditChain(readAuditEntries(createDatabase<PaymentsDatabase>(pool), "payments"));
  expect(await verify()).toMatchObject({ intact: true });
  await payments.query("update payments.audit_entry set actor = 'mallory' where sequence = 2");
  expect(await verify()).toEqual({ intact: false, sequence: 2n, fault: "hash" });
  await pool.end();
});

describe("a capture in doubt", () => {
  let paymentId: string;
  beforeEach(async () => {
    const command = payments.command({ amountMinor: "10000" });
    await payments.send(command);
    paymentId = command.paymentId;
    const operation = { paymentId, operationId: randomUUID(), amount: "10.93" };
    expect(await payments.call(operations.capture.command, operation)).toMatchObject({ outcome: "pending" });
    await grown(paymentId);
  });

  test("is listed, can be asked about again, and is never reversed", async () => {
    expect(await reverse(paymentId)).toMatchObject({ code: "invalid_payment_state" });
    expect(await inquire(paymentId)).toMatchObject({
      result: { unresolved: false, payment: { status: "CAPTURED" } },
    });
  });

  test("is sent under its next reference immediately, and later ones wait for the schedule", async () => {
    const dueLater = async () => {
      const rows = await payments.query<{ later: boolean }>(
        "select recover_at > now() + interval '10 seconds' as later from payments.payment where payment_id = $1",
        [paymentId],
      );
      return rows[0]?.later;
    };
    await payments.acquirerWill("capture", "expire", 2);
    await inquire(paymentId);
    expect(await dueLater()).toBe(false);
    await inquire(paymentId);
    expect(await dueLater()).toBe(true);
  });

  test("is not resolved by what somebody has said of an earlier one", async () => {
    await resolve("alice", paymentId, "SUCCESS");
    await payments.acquirerWill("capture", "decline");
    expect(await inquire(paymentId)).toMatchObject({
      result: { unresolved: false, payment: { status: "SUCCESS", lastOperation: { status: "DECLINED" } } },
    });
    const again = { paymentId, operationId: randomUUID(), amount: "10.93" };
    expect(await payments.call(operations.capture.command, again)).toMatchObject({ outcome: "pending" });
    await grown(paymentId);
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { unresolved: true, resolution: { proposedBy: "bora", confirmations: 1 } },
    });
  });

  test("is resolved by two people: the bank did it, or it did not", async () => {
    await resolve("alice", paymentId, "FAILED");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({
      result: { unresolved: false, payment: { status: "SUCCESS" } },
    });
    const again = { paymentId, operationId: randomUUID(), amount: "10.93" };
    expect(await payments.call(operations.capture.command, again)).toMatchObject({ outcome: "pending" });
    expect(await resolve("alice", paymentId, "SUCCESS")).toEqual(tooYoung());
    await grown(paymentId);
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { payment: { status: "CAPTURED", capturedAmount: 10.93 } },
    });
  });

  test("is what the bank says it is, whatever people say", async () => {
    const done = payments.command({ amountMinor: "10000" });
    await payments.send(done);
    // A capture that the bank carries out and never answers.
    const operation = { paymentId: done.paymentId, operationId: randomUUID(), amount: "10.92" };
    expect(await payments.call(operations.capture.command, operation)).toMatchObject({ outcome: "pending" });
    await grown(done.paymentId);
    await resolve("alice", done.paymentId, "FAILED");
    expect(await resolve("bora", done.paymentId, "FAILED")).toMatchObject({
      code: "bank_says_settled",
      extra: { resultCode: "00" },
    });
    expect(await payments.read(done.paymentId)).toMatchObject({
      result: { status: "CAPTURED", capturedAmount: 10.92 },
    });
  });
});

describe("a capture that the bank has carried out in another amount", () => {
  let paymentId: string;
  beforeEach(async () => {
    paymentId = await capturedInPart(6_000);
  });

  test("cannot be FAILED, also when the bank says no more, and stays open", async () => {
    const settled = { code: "bank_says_settled", extra: { resultCode: "00" } };
    await resolve("alice", paymentId, "FAILED");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject(settled);
    await payments.acquirerWill("inquire", "garbage");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject(settled);
    expect(await payments.operate(operations.getOperatorPayment.command, { paymentId })).toMatchObject({
      result: { unresolved: true, lastInquiry: "mismatch", payment: { status: "SUCCESS" } },
    });
  });

  test("is booked as SUCCESS in the amount that the bank took, with its share of the commission", async () => {
    await resolve("alice", paymentId, "SUCCESS");
    expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
      result: {
        payment: {
          status: "CAPTURED",
          capturedAmount: 60,
          merchantCommission: 1.65,
          lastOperation: { type: "CAPTURE", status: "DONE", amount: 60 },
        },
      },
    });
    const reservation = { refundId: randomUUID(), paymentId, amountMinor: "6001", currency: "TRY" };
    expect(await payments.call(reserveRefund, { ...reservation, askedBy: [] })).toMatchObject({
      code: "refund_amount_exceeds_remaining",
    });
  });
});

test("a capture in another amount is booked where its own call never left this machine", async () => {
  const paymentId = await capturedInPart(6_000);
  await payments.query(
    "update payments.bank_call set outcome = 'not_sent', answered_at = now() where payment_id = $1 and kind = 'capture'",
    [paymentId],
  );
  await resolve("alice", paymentId, "SUCCESS");
  expect(await resolve("bora", paymentId, "SUCCESS")).toMatchObject({
    result: { payment: { status: "CAPTURED", capturedAmount: 60 } },
  });
});

describe("an operation that two people have called FAILED without the bank's word", () => {
  const watch = async (paymentId: string) =>
    (
      await payments.query<{ days: number; sighted: boolean; ended: boolean; last_inquiry: string | null }>(
        `select extract(epoch from due_at - now())::float8 / 86400 as days, sighted_at is not null as sighted,
           ended_at is not null as ended, last_inquiry
         from payments.payment_watch where payment_id = $1 and movement_id is not null`,
        [paymentId],
      )
    )[0];
  const lookNow = async (paymentId: string) => {
    await payments.query("update payments.payment_watch set due_at = now() where payment_id = $1", [
      paymentId,
    ]);
    await eventually(async () => (await watch(paymentId))?.ended);
    return await watch(paymentId);
  };
  async function calledFailed() {
    const { paymentId, reference } = await captureInDoubt();
    await grown(paymentId);
    await resolve("alice", paymentId, "FAILED");
    expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({ result: { unresolved: false } });
    return { paymentId, reference };
  }

  test("is asked about once more after the bank's day, and what arrived late is a case for people", async () => {
    const { paymentId, reference } = await calledFailed();
    const { days } = (await watch(paymentId))!;
    expect(days).toBeGreaterThan(0);
    expect(days).toBeLessThanOrEqual(1);
    await payments.acquirerGets("capture", { reference, parentReference: paymentId, amountMinor: 10_000 });
    const before = await payments.ledger(paymentId);
    expect(await lookNow(paymentId)).toMatchObject({ sighted: true, last_inquiry: "approved" });
    expect(await payments.operate(operations.getOperatorPayment.command, { paymentId })).toMatchObject({
      result: {
        payment: { status: "SUCCESS" },
        seenLate: [{ type: "CAPTURE", reference, seenAt: expect.any(String) }],
        bankCalls: [{}, { type: "CAPTURE", outcome: "APPROVED" }],
      },
    });
    expect(await payments.ledger(paymentId)).toEqual(before);
  });

  test("ends its watch where the bank still has nothing of it", async () => {
    const { paymentId } = await calledFailed();
    expect(await lookNow(paymentId)).toMatchObject({ sighted: false, last_inquiry: "not_found" });
    expect(await payments.operate(operations.getOperatorPayment.command, { paymentId })).not.toHaveProperty(
      "result.seenLate",
    );
  });

  test("is not watched where the bank has answered", async () => {
    const { paymentId } = await captureInDoubt();
    await payments.acquirerWill("capture", "decline");
    expect(await inquire(paymentId)).toMatchObject({ result: { unresolved: false } });
    expect(await watch(paymentId)).toBeUndefined();
  });
});

test("an authorization whose capture came after people had called it FAILED does not expire by the bank's declines", async () => {
  const { paymentId, reference } = await captureInDoubt();
  await grown(paymentId);
  await resolve("alice", paymentId, "FAILED");
  expect(await resolve("bora", paymentId, "FAILED")).toMatchObject({ result: { unresolved: false } });
  await payments.acquirerGets("capture", { reference, parentReference: paymentId, amountMinor: 10_000 });
  const expiries = () =>
    payments.query<{ state: string; days: number }>(
      `select operation.state, round(extract(epoch from authorization_expires_at - now()) / 86400)::int as days
       from payments.payment_operation as operation join payments.payment using (payment_id)
       where payment_id = $1 and kind = 'EXPIRY' order by operation.created_at`,
      [paymentId],
    );
  for (const days of [1, 2, 4]) {
    await payments.acquirerWill("cancel", "decline");
    await payments.query(
      "update payments.payment set authorization_expires_at = now() where payment_id = $1",
      [paymentId],
    );
    await eventually(async () => (await expiries()).at(-1)?.days === days);
  }
  expect(await expiries()).toHaveLength(3);
  expect(await payments.read(paymentId)).toMatchObject({ result: { status: "SUCCESS" } });
});

/** A whole capture that has not arrived, and was never answered. */
async function captureInDoubt() {
  const { paymentId, ...command } = payments.command({ amountMinor: "10000" });
  await payments.send({ ...command, paymentId });
  const operationId = randomUUID();
  await payments.acquirerWill("capture", "hang_before");
  expect(await payments.call(operations.capture.command, { paymentId, operationId })).toMatchObject({
    outcome: "pending",
  });
  return { paymentId, reference: `${paymentId}:capture:${operationId}` };
}

/** A whole capture that the bank got in another amount, as if it had changed it, and never answered. */
async function capturedInPart(amountMinor: number): Promise<string> {
  const { paymentId, reference } = await captureInDoubt();
  await payments.acquirerGets("capture", { reference, parentReference: paymentId, amountMinor });
  return await grown(paymentId);
}
