import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { BankFront } from "./bank-front.ts";
import { startBehindFront, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;
let front: BankFront;
let close: () => Promise<void>;

beforeAll(async () => {
  // Recovery runs only if a test asks for it.
  ({ refunds, front, close } = await startBehindFront({
    refunds: { RECOVERY_SCHEDULE: "1h" },
    payments: { WATCH_INTERVAL: "50ms" },
  }));
});
beforeEach(() => {
  front.answerInquiries((answer) => answer);
  front.answerCalls((answer) => answer);
});
afterEach(() => refunds.acquirerWillBehave());
afterAll(() => close());

/** A refund with an unknown outcome; `behaviour` is the bank's at the request. */
async function unresolved(behaviour = "hang_before", paymentId?: string): Promise<string> {
  const refundId = await refunds.queue(paymentId ?? (await refunds.pay()), "1000");
  await refunds.acquirerWill("refund", behaviour);
  expect(await refunds.approve(refundId)).toMatchObject({ result: { state: "EXECUTING", attempts: 1 } });
  return refundId;
}

/** Makes the refund so old that none of its calls can arrive any more. */
async function old(refundId: string, by = "1 hour"): Promise<string> {
  await refunds.query(
    `update payments.bank_call set sent_at = sent_at - interval '${by}' where movement_id = $1`,
    [refundId],
  );
  return refundId;
}

const audited = async (refundId: string) =>
  (
    await refunds.query<{ actor: string; action: string }>(
      "select actor, action from refunds.audit_entry where subject = $1 order by sequence",
      [refundId],
    )
  ).map(({ actor, action }) => `${actor} ${action}`);
const causes = async (refundId: string) =>
  (
    await refunds.query<{ to_state: string; cause: string }>(
      "select to_state, cause from refunds.refund_history where refund_id = $1 order by version",
      [refundId],
    )
  ).map(({ to_state, cause }) => `${to_state} ${cause}`);
const TOO_YOUNG = { outcome: "problem", code: "too_young", extra: { notBefore: expect.any(String) } };
const inAnotherAmount = (answer: string) => answer.replace('"amountMinor":1000', '"amountMinor":400');

describe("an inquiry by an operator", () => {
  test("ends a refund that the bank has paid, and stands in the audit log", async () => {
    const refundId = await unresolved("hang");
    expect(await refunds.inquire(refundId, "bora")).toMatchObject({
      outcome: "done",
      result: { status: "SUCCESS", resultCode: "00" },
    });
    expect(await audited(refundId)).toEqual(["olga refund.approved", "bora refund.inquired"]);
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
  });

  test("shows what the bank said of another amount, and that it is tried again", async () => {
    const refundId = await unresolved("hang");
    front.answerInquiries(inAnotherAmount);
    expect(await refunds.inquire(refundId)).toMatchObject({
      result: {
        state: "EXECUTING",
        lastInquiry: "mismatch",
        attempts: 2,
        bank: {
          reference: `${refundId}:refund`,
          approvedAmount: 4,
          approvedCurrency: "TRY",
          resultCode: "00",
          externalTransactionId: expect.any(String),
        },
      },
    });
    expect(await refunds.read(refundId)).not.toHaveProperty("result.resultCode");
  });

  test("is not made of what is not under way, is unknown, or is worked on", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1000");
    expect(await refunds.inquire(refundId)).toMatchObject({
      code: "invalid_payment_state",
      extra: { currentStatus: "PENDING_APPROVAL" },
    });
    await refunds.reject(refundId);
    expect(await refunds.inquire(refundId)).toMatchObject({
      code: "invalid_payment_state",
      extra: { currentStatus: "REJECTED" },
    });
    expect(await refunds.inquire(randomUUID())).toEqual({ outcome: "problem", code: "refund_not_found" });
    const busy = await unresolved();
    await refunds.query(
      `update refunds.refund set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
       where refund_id = $1`,
      [busy],
    );
    const inProgress = { outcome: "problem", code: "operation_in_progress" };
    expect(await refunds.inquire(busy)).toEqual(inProgress);
    await old(busy);
    expect(await refunds.resolve("olga", busy, "FAILED")).toEqual(inProgress);
  });
});

describe("two operators resolve a refund", () => {
  test("that the bank does not remember: FAILED frees its amount, the merchant is told, the log says who and why", async () => {
    const paymentId = await refunds.pay();
    const refundId = await old(await unresolved("hang_before", paymentId));
    expect(await refunds.resolve("alice", refundId, "FAILED")).toMatchObject({
      outcome: "done",
      result: {
        state: "EXECUTING",
        resolution: {
          outcome: "FAILED",
          evidence: "call 17",
          proposedBy: "alice",
          confirmations: 1,
          confirmationsRequired: 2,
        },
      },
    });
    expect(await refunds.resolve("alice", refundId, "FAILED")).toEqual({
      outcome: "problem",
      code: "same_person",
    });
    const resolved = await refunds.resolve("bora", refundId, "FAILED");
    expect(resolved).toMatchObject({ result: { status: "FAILED", resultCode: "resolved" } });
    expect(resolved).not.toHaveProperty("result.resolution");
    expect(await causes(refundId)).toEqual([
      "PENDING_APPROVAL reserved",
      "EXECUTING approved",
      "FAILING resolved_by_operators",
      "FAILED acknowledged",
    ]);
    expect(await audited(refundId)).toEqual([
      "olga refund.approved",
      "alice refund.resolution_proposed",
      "alice refund.resolution_refused",
      "bora refund.resolved",
    ]);
    expect(await refunds.events(refundId)).toEqual(["FAILED"]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
  });

  test("as SUCCESS on their word: its amount is refunded", async () => {
    const paymentId = await refunds.pay();
    const refundId = await old(await unresolved("hang_before", paymentId));
    await refunds.resolve("alice", refundId, "SUCCESS");
    expect(await refunds.resolve("bora", refundId, "SUCCESS")).toMatchObject({
      result: { status: "SUCCESS", resultCode: "resolved" },
    });
    expect(await causes(refundId)).toContain("SETTLING resolved_by_operators");
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 1000, released: 0 });
  });

  test.each(["SUCCESS", "FAILED"] as const)(
    "as %s, though the bank has paid it: an equal one that is taken for its copy is not believed",
    async (outcome) => {
      const modes = (duplicateWindowSeconds: number) =>
        fetch(`${refunds.acquirer.url}/modes`, {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ duplicateWindowSeconds }),
        });
      onTestFinished(async () => void (await modes(0)));
      const paymentId = await refunds.pay();
      await modes(3_600);
      await refunds.acquirerWill("inquire", "http_500", 10_000);
      const ended = await old(await unresolved("hang", paymentId));
      await refunds.resolve("alice", ended, outcome);
      expect(await refunds.resolve("bora", ended, outcome)).toMatchObject({ result: { status: outcome } });
      const equal = await refunds.queue(paymentId, "1000");
      // The bank does not say under which name it has done the first one.
      expect(await refunds.approve(equal)).toMatchObject({ result: { lastInquiry: "refund_pending" } });
      await refunds.acquirerWillBehave();
      const next = async () => (await refunds.abandon(equal), refunds.describe(equal));
      await eventually(async () =>
        expect(await next()).toMatchObject({ result: { lastInquiry: "mismatch" } }),
      );
      expect(await refunds.ledger(equal)).toEqual([]);
      await modes(0);
      await old(equal);
      await eventually(async () => expect(await next()).toMatchObject({ result: { status: "SUCCESS" } }));
      expect(await refunds.ledger(equal)).toEqual(["refund approved 1000"]);
    },
  );

  test("another outcome replaces the proposal", async () => {
    const refundId = await old(await unresolved());
    await refunds.resolve("alice", refundId, "FAILED");
    expect(await refunds.resolve("bora", refundId, "SUCCESS")).toMatchObject({
      result: { state: "EXECUTING", resolution: { outcome: "SUCCESS", proposedBy: "bora" } },
    });
    expect(await refunds.resolve("alice", refundId, "SUCCESS")).toMatchObject({
      result: { status: "SUCCESS" },
    });
  });

  test("a proposal ends with the bank's answer", async () => {
    const refundId = await old(await unresolved("hang"));
    await refunds.resolve("alice", refundId, "FAILED");
    const ended = await refunds.inquire(refundId);
    expect(ended).toMatchObject({ result: { status: "SUCCESS" } });
    expect(ended).not.toHaveProperty("result.resolution");
    expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject({
      code: "invalid_payment_state",
    });
  });

  test("but not while a request may still be under way, and not what the bank has answered", async () => {
    // The default late arrival is 15 minutes; the harness's calls take a minute at most.
    const refundId = await old(await unresolved(), "14 minutes");
    for (const outcome of ["FAILED", "SUCCESS"] as const)
      expect(await refunds.resolve("alice", refundId, outcome)).toMatchObject(TOO_YOUNG);
    expect(await audited(refundId)).toEqual(["olga refund.approved"]);
    const waiting = await refunds.queue(await refunds.pay(), "1000");
    expect(await refunds.resolve("alice", waiting, "FAILED")).toMatchObject({
      code: "invalid_payment_state",
    });
  });
});

describe("people's word never overrides the bank's:", () => {
  test("FAILED is refused where the bank says that it has paid, and the payment is recorded", async () => {
    const paymentId = await refunds.pay();
    const refundId = await old(await unresolved("hang", paymentId));
    await refunds.resolve("alice", refundId, "FAILED");
    expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject({
      outcome: "problem",
      code: "bank_says_settled",
      extra: { resultCode: "00" },
    });
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 1000, released: 0 });
  });

  test("SUCCESS becomes FAILED where the bank says that it has declined", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1091");
    front.answerCalls(() => "garbage");
    await refunds.approve(refundId);
    await old(refundId);
    await refunds.resolve("alice", refundId, "SUCCESS");
    expect(await refunds.resolve("bora", refundId, "SUCCESS")).toMatchObject({
      result: { status: "FAILED", resultCode: "05" },
    });
  });

  test("paid in another amount it is not FAILED, also when the bank says no more; it can be SUCCESS", async () => {
    const paymentId = await refunds.pay();
    const refundId = await old(await unresolved("hang", paymentId));
    front.answerInquiries(inAnotherAmount);
    const settled = { outcome: "problem", code: "bank_says_settled", extra: { resultCode: "00" } };
    await refunds.resolve("alice", refundId, "FAILED");
    expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject(settled);
    await refunds.acquirerWill("inquire", "garbage");
    expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject(settled);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 1000, refunded: 0, released: 0 });
    await refunds.resolve("alice", refundId, "SUCCESS");
    expect(await refunds.resolve("bora", refundId, "SUCCESS")).toMatchObject({
      result: { status: "SUCCESS", resultCode: "00", bank: { approvedAmount: 4, approvedCurrency: "TRY" } },
    });
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 1000, released: 0 });
  });
});

test("the second person, too, waits for what recovery has sent again since the first one's word", async () => {
  const refundId = await old(await unresolved());
  await refunds.resolve("alice", refundId, "FAILED");
  await refunds.acquirerWill("refund", "hang_before");
  expect(await refunds.inquire(refundId)).toMatchObject({ result: { state: "EXECUTING" } });
  expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject(TOO_YOUNG);
  expect(await refunds.describe(refundId)).toMatchObject({
    result: { state: "EXECUTING", resolution: { outcome: "FAILED", proposedBy: "alice" } },
  });
});

test("a confirmation and a recovery that sends it again at the same time: it is not FAILED while it may arrive", async () => {
  const refundId = await old(await unresolved());
  await refunds.resolve("alice", refundId, "FAILED");
  await refunds.acquirerWill("refund", "hang_before");
  const [confirmed] = await Promise.all([
    refunds.resolve("bora", refundId, "FAILED"),
    refunds.inquire(refundId),
  ]);
  const sent = await refunds.query("select number from payments.bank_call where movement_id = $1", [
    refundId,
  ]);
  const ended = confirmed.outcome === "done";
  expect(sent).toHaveLength(ended ? 1 : 2);
  expect(await refunds.events(refundId)).toEqual(ended ? ["FAILED"] : []);
});

test("FAILED without the bank's word is looked at after its day: what it paid late is a case, and nothing is sent", async () => {
  const paymentId = await refunds.pay();
  const refundId = await old(await unresolved("hang_before", paymentId));
  await refunds.resolve("alice", refundId, "FAILED");
  expect(await refunds.resolve("bora", refundId, "FAILED")).toMatchObject({ result: { status: "FAILED" } });
  const reference = `${refundId}:refund`;
  await refunds.acquirerGets("refund", { reference, parentReference: paymentId, amountMinor: 1_000 });
  await refunds.query("update payments.payment_watch set due_at = now() where movement_id = $1", [refundId]);
  await eventually(async () => {
    const seen = await refunds.operate(operations.getOperatorPayment.command, { paymentId });
    expect(seen).toMatchObject({ result: { seenLate: [{ type: "REFUND", reference }] } });
  });
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
  expect(await refunds.read(refundId)).toMatchObject({ result: { status: "FAILED" } });
});

test("of two confirmations at once one stands", async () => {
  const refundId = await old(await unresolved());
  await refunds.resolve("alice", refundId, "FAILED");
  const replies = await Promise.all(
    ["bora", "vera", "omer"].map((name) => refunds.resolve(name, refundId, "FAILED")),
  );
  expect(replies.filter((reply) => reply.outcome === "done")).toHaveLength(1);
  expect(await refunds.events(refundId)).toEqual(["FAILED"]);
});

test("the list of those under way shows attempts and what the bank said", async () => {
  const refundId = await unresolved();
  await eventually(async () => {
    const page = await refunds.operate(operations.listRefunds.command, {
      limit: 200,
      filter: { status: "EXECUTING" },
    });
    const items = "result" in page ? page.result.items : [];
    expect(items.find(({ id }) => id === refundId)?.item).toMatchObject({
      attempts: 1,
      lastInquiry: expect.any(String),
      bank: { reference: `${refundId}:refund` },
    });
  });
});
