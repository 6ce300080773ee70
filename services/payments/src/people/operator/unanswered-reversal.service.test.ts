import { resolveUnresolvedPayment, reverseUnresolvedPayment, sellPayment } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { findReversal, recordBankAnswer } from "../../unknown/recovery/reversal-queries.ts";
import { recordReversalAnswer, recordReversalSending } from "../../unknown/recovery/reversal-sending.ts";

/** The bank has refused a reversal, and a later one, sent and not answered, may still take effect. */
let payments: PaymentsHarness;
let pool: Pool;

beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
  const connectionString = payments.database.superuserUrl;
  pool = new Pool({ connectionString, max: 4, options: "-c search_path=payments" });
});
afterEach(() => payments.acquirerWillBehave());
afterAll(async () => {
  await pool.end();
  await payments.close();
});

const reverse = (paymentId: string) => payments.operate(reverseUnresolvedPayment, { paymentId }, "alice");
const say = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
  payments.operate(resolveUnresolvedPayment, { paymentId, outcome, evidence: "call 17" }, name);
const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`);
const statuses = (paymentId: string) =>
  payments.query("select status from payments.outbox where payment_id = $1", [paymentId]);
const lastSentAt = async (paymentId: string) => {
  const [row] = await payments.query(
    "select last_sent_at from payments.payment_reversal where payment_id = $1",
    [paymentId],
  );
  return row?.["last_sent_at"];
};
const database = () => createDatabase<PaymentsDatabase>(pool);

/** Passes the account's late arrival. */
const passHorizon = (paymentId: string) =>
  payments.query(
    "update payments.payment_reversal set last_sent_at = last_sent_at - interval '1 day' where payment_id = $1",
    [paymentId],
  );

/** A sale that the bank approved and never answered, a minute ago. */
async function soldInDoubt(): Promise<string> {
  const command = payments.command({ amountMinor: "10000", cardData: { pan: "4000000000000119" } });
  expect(await payments.call(sellPayment, command)).toMatchObject({ outcome: "pending" });
  const earlier = "created_at = created_at - interval '1 minute' where payment_id = $1";
  await payments.query(`update payments.payment set ${earlier}`, [command.paymentId]);
  return command.paymentId;
}

async function reversalIs(behaviour: "refuse" | "hang_before" | "hang", paymentId: string): Promise<void> {
  await payments.acquirerWill("reverse", behaviour);
  expect(await reverse(paymentId)).toMatchObject({ result: { state: "REVERSING" } });
}

const PENDING = {
  outcome: "problem",
  code: "reversal_pending",
  detail: "A reversal that the bank has not answered may still take effect.",
};

describe("SUCCESS after a refused reversal", () => {
  test("is refused while a later one is on its way, which then takes effect", async () => {
    const paymentId = await soldInDoubt();
    await reversalIs("refuse", paymentId);
    await reversalIs("hang_before", paymentId);
    expect(await say("alice", paymentId, "SUCCESS")).toEqual(PENDING);
    await payments.acquirerGets("reverse", { reference: paymentId, amountMinor: 10_000 });
    expect(await ledger(paymentId)).toEqual(["sale approved", "reverse approved"]);
    expect(await statuses(paymentId)).toEqual([]);
    expect(await reverse(paymentId)).toMatchObject({ result: { payment: { status: "FAILED" } } });
  });

  test("is refused to the second person, too, where one was sent after the proposal", async () => {
    const paymentId = await soldInDoubt();
    await reversalIs("refuse", paymentId);
    expect(await say("alice", paymentId, "SUCCESS")).toMatchObject({ outcome: "done" });
    await reversalIs("hang_before", paymentId);
    expect(await say("bora", paymentId, "SUCCESS")).toEqual(PENDING);
    expect(await statuses(paymentId)).toEqual([]);
  });

  test("is possible once it can no longer take effect", async () => {
    const paymentId = await soldInDoubt();
    await reversalIs("refuse", paymentId);
    await reversalIs("hang_before", paymentId);
    await passHorizon(paymentId);
    await say("alice", paymentId, "SUCCESS");
    expect(await say("bora", paymentId, "SUCCESS")).toMatchObject({
      result: { payment: { status: "SUCCESS" } },
    });
    expect(await ledger(paymentId)).toEqual(["sale approved"]);
  });

  test("waits for the one before, whatever is answered to the one behind it", async () => {
    const paymentId = await soldInDoubt();
    await reversalIs("hang_before", paymentId);
    const sentAt = await lastSentAt(paymentId);
    await reversalIs("refuse", paymentId);
    expect(await say("alice", paymentId, "SUCCESS")).toEqual(PENDING);
    expect(await lastSentAt(paymentId)).toEqual(sentAt);
  });
});

describe("that a reversal may take effect", () => {
  test("is committed before it is sent", async () => {
    const paymentId = await soldInDoubt();
    await payments.acquirerWill("reverse", "hang");
    const reversing = reverse(paymentId);
    await eventually(async () => {
      expect(await ledger(paymentId)).toContain("reverse approved");
    });
    expect(await lastSentAt(paymentId)).toBeInstanceOf(Date);
    await reversing;
  });

  test("is not said by who only keeps what the bank says", async () => {
    const paymentId = await soldInDoubt();
    await recordBankAnswer(database(), paymentId, { sent: true });
    expect(await findReversal(database(), paymentId)).toMatchObject({ last_sent_at: null, sends: 0 });
  });

  test("nobody sends one who has lost the lease", async () => {
    const paymentId = await soldInDoubt();
    const overtaken = { payment_id: paymentId, lease_token: randomUUID() };
    expect(await recordReversalSending(database(), overtaken, undefined)).toBeUndefined();
    expect(await findReversal(database(), paymentId)).toBeUndefined();
  });

  test("of two processes that found the same one sends it, and the other's answer takes nothing back", async () => {
    const paymentId = await soldInDoubt();
    const payment = { payment_id: paymentId, lease_token: null };
    await payments.query("update payments.payment set lease_token = null where payment_id = $1", [paymentId]);
    const db = database();
    expect(await recordReversalSending(db, payment, undefined)).toBe(1);
    expect(await recordReversalSending(db, payment, undefined)).toBeUndefined();
    expect(await recordReversalSending(db, payment, await findReversal(db, paymentId))).toBe(2);
    await recordReversalAnswer(db, paymentId, { sending: 1, known: undefined });
    expect(await lastSentAt(paymentId)).toBeInstanceOf(Date);
  });
});
