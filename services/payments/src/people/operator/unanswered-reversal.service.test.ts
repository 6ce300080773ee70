import { operations } from "@holdfast/contracts";
import { createDatabase } from "@holdfast/postgres";
import { eventually, TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { isOpen, type BankCall } from "../../bank/ledger/bank-call.ts";
import { beginCall, findCalls, noteAnswer } from "../../bank/ledger/call-queries.ts";
import { reversalOf } from "../../unknown/recovery/reversal.ts";

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

const reverse = (paymentId: string) =>
  payments.operate(operations.reversePayment.command, { paymentId }, "alice");
const say = (name: string, paymentId: string, outcome: "SUCCESS" | "FAILED") =>
  payments.operate(operations.resolvePayment.command, { paymentId, outcome, evidence: "call 17" }, name);
const ledger = async (paymentId: string) =>
  (await payments.ledger(paymentId)).map(({ operation, outcome }) => `${operation} ${outcome}`);
const statuses = (paymentId: string) =>
  payments.query("select status from payments.outbox where payment_id = $1", [paymentId]);
const callsOf = (paymentId: string) => findCalls(database(), paymentId);
const lastOpenSentAt = async (paymentId: string) => {
  const calls = await callsOf(paymentId);
  return calls.findLast((call) => call.kind === "reverse" && isOpen(call))?.sent_at;
};
const database = () => createDatabase<PaymentsDatabase>(pool);

/** Passes the account's late arrival. */
const passHorizon = (paymentId: string) =>
  payments.query(
    "update payments.bank_call set sent_at = sent_at - interval '1 day' where payment_id = $1 and kind = 'reverse'",
    [paymentId],
  );

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
    const sentAt = await lastOpenSentAt(paymentId);
    await reversalIs("refuse", paymentId);
    expect(await say("alice", paymentId, "SUCCESS")).toEqual(PENDING);
    expect(await lastOpenSentAt(paymentId)).toEqual(sentAt);
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
    expect(await lastOpenSentAt(paymentId)).toBeInstanceOf(Date);
    await reversing;
  });

  test("nobody sends one who has lost the lease", async () => {
    const paymentId = await soldInDoubt();
    const overtaken = { payment_id: paymentId, account_id: TEST_ACCOUNT_ID, lease_token: randomUUID() };
    const calls = await callsOf(paymentId);
    expect(await beginCall(database(), overtaken, reversalCall(paymentId), calls)).toBeUndefined();
    expect(reversalOf(await callsOf(paymentId))).toBeUndefined();
  });

  test("of two processes that found the same one sends it, and the other's answer takes nothing back", async () => {
    const paymentId = await soldInDoubt();
    const payment = { payment_id: paymentId, account_id: TEST_ACCOUNT_ID, lease_token: null };
    await payments.query("update payments.payment set lease_token = null where payment_id = $1", [paymentId]);
    const begin = async (calls: BankCall[]) =>
      await beginCall(database(), payment, reversalCall(paymentId), calls);
    const found = await callsOf(paymentId);
    const first = await begin(found);
    expect(first).toMatchObject({ number: found.length + 1 });
    expect(await begin(found)).toBeUndefined();
    expect(await begin(await callsOf(paymentId))).toMatchObject({ number: found.length + 2 });
    await noteAnswer(database(), first!, { kind: "refused", resultCode: "21", resultMessage: "" }, NAMING);
    expect(reversalOf(await callsOf(paymentId))).toMatchObject({
      refused_at: expect.any(Date),
      last_sent_ms_ago: expect.any(Number),
    });
  });

  test("an answer that says nothing never replaces one that an inquiry has brought meanwhile", async () => {
    const paymentId = await soldInDoubt();
    const [sale] = await callsOf(paymentId);
    const approval = { kind: "approved", amountMinor: 6_000n, currency: "TRY", ...NAMED } as const;
    await noteAnswer(database(), sale!, approval, NAMING);
    for (const late of [{ kind: "unknown", reason: "timeout" }, { kind: "not_sent" }] as const)
      await noteAnswer(database(), sale!, late, NAMING);
    expect(await callsOf(paymentId)).toMatchObject([
      { outcome: "approved", approved_minor: expect.anything(), external_transaction_id: "t-1" },
    ]);
  });
});

const NAMING = { sharesNameOn: [] };
const NAMED = { externalTransactionId: "t-1", authCode: "1", resultCode: "00", resultMessage: "" };
const reversalCall = (reference: string) =>
  ({ kind: "reverse", reference, amountMinor: 10_000n, currency: "TRY" }) as const;
