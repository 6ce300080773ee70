import { operations } from "@holdfast/contracts";
import { armFailpoints, type Failpoint } from "@holdfast/service-runtime";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;

beforeAll(async () => {
  // A late answer takes as long, and a call that is answered in time may.
  refunds = await startRefundsHarness({ env: { ...FAST, ACQUIRER_TIMEOUT: "4s", LEASE_DURATION: "12s" } });
  await refunds.startRefunds();
});
afterEach(() => armFailpoints(undefined));
afterAll(async () => {
  // All refunds of this file add up after the tests above.
  expect(await refunds.broken()).toEqual([]);
  await refunds.close();
});

async function approveAndSettle(amountMinor: string) {
  const paymentId = await refunds.pay();
  const refundId = await refunds.queue(paymentId, amountMinor);
  const approved = await refunds.approve(refundId);
  const state = await refunds.settled(refundId);
  const ledger = await refunds.ledger(refundId);
  const events = await refunds.events(refundId);
  return { approved, refundId, paymentId, end: { state, ledger, events } };
}

describe("a bank that", () => {
  test.each([
    ["declines", "1091", "FAILED", ["refund declined 1091"]],
    ["pays and never answers", "1092", "SUCCESS", ["refund approved 1092"]],
    ["does nothing and never answers", "1093", "SUCCESS", ["refund approved 1093"]],
    ["pays and answers late", "1094", "SUCCESS", ["refund approved 1094"]],
    ["pays and answers HTTP 500", "1095", "SUCCESS", ["refund approved 1095"]],
  ])("%s: the refund ends once, with one event", async (_case, amount, state, ledger) => {
    const { end, paymentId } = await approveAndSettle(amount);
    expect(end).toEqual({ state, ledger, events: [state] });
    const refunded = state === "SUCCESS" ? Number(amount) : 0;
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded, released: 0 });
  });

  test.each(["garbage", "wrong_amount", "reset"])("answers with %s: likewise", async (behaviour) => {
    await refunds.acquirerWill("refund", behaviour);
    const { end } = await approveAndSettle("1000");
    expect(end).toEqual({ state: "SUCCESS", ledger: ["refund approved 1000"], events: ["SUCCESS"] });
  });

  test("lets a request take effect late, after it was repeated: is paid once", async () => {
    await refunds.acquirerWill("refund", "late_effect");
    const { end } = await approveAndSettle("1000");
    expect(end.ledger).toHaveLength(1);
    expect(end.events).toHaveLength(1);
  });

  test("does not tell for a while keeps it PENDING_APPROVAL and reserved; a second approval is refused", async () => {
    await refunds.acquirerWill("refund", "hang_before");
    await refunds.acquirerWill("inquire", "garbage", 1_000);
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "1000");
    expect(await refunds.approve(refundId)).toMatchObject({
      outcome: "done",
      result: { status: "PENDING_APPROVAL", state: "EXECUTING", approvals: 1 },
    });
    expect(await refunds.read(refundId)).toMatchObject({ result: { status: "PENDING_APPROVAL" } });
    expect(await refunds.read(refundId)).not.toHaveProperty("result.resultCode");
    for (const decision of [refunds.approve(refundId, "bora"), refunds.reject(refundId)]) {
      expect(await decision).toEqual({ outcome: "problem", code: "refund_already_decided" });
    }
    expect(await refunds.amounts(paymentId)).toMatchObject({ reserved: 1000 });
    await refunds.acquirerWillBehave();
    await refunds.abandon(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
  });
});

test("with the bank away a refund is tried again, under the same reference, until it is there", async () => {
  const alone = await startRefundsHarness({ env: FAST });
  const refundId = await alone.queue(await alone.pay(), "1000");
  await alone.acquirer.close();
  expect(await alone.approve(refundId)).toMatchObject({ result: { state: "EXECUTING" } });
  const inquiries = await eventually(async () => {
    const reply = await alone.operate(operations.getOperatorRefund.command, { refundId });
    return "result" in reply && reply.result.attempts >= 2 && reply.result;
  });
  expect(inquiries).toMatchObject({
    state: "EXECUTING",
    lastInquiry: "acquirer_unavailable",
    overdue: false,
  });
  await alone.close();
});

/** Approves, and leaves the refund to others when the worker has got as far as the point at which it vanishes. */
async function approveUntil(point: Failpoint, refundId: string): Promise<void> {
  const hits = armFailpoints(`${point}:hang@1`);
  refunds.approve(refundId).catch(() => {});
  await eventually(() => hits(point) > 0);
  await refunds.abandon(refundId);
}

describe("a worker that vanished", () => {
  test.each([
    "after_decision",
    "after_acquirer",
    "after_outcome",
    "after_payments_told",
    "after_end",
  ] as const)(
    "%s is followed by another; the bank pays once and the merchant is told once",
    async (point) => {
      const paymentId = await refunds.pay();
      const refundId = await refunds.queue(paymentId, "1000");
      await approveUntil(`refunds.${point}`, refundId);
      expect(await refunds.settled(refundId)).toBe("SUCCESS");
      expect(await refunds.ledger(refundId)).toEqual(["refund approved 1000"]);
      expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
      expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 1000, released: 0 });
    },
  );

  test("and comes back with the bank's answer after another has ended it changes nothing", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1000");
    armFailpoints("refunds.after_acquirer:hold@1");
    const late = refunds.approve(refundId);
    await eventually(async () => expect(await refunds.ledger(refundId)).toHaveLength(1));
    await refunds.abandon(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    const history = () =>
      refunds.query("select * from refunds.refund_history where refund_id = $1 order by version", [refundId]);
    const before = await history();
    armFailpoints(undefined);
    expect(await late).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    expect(await history()).toEqual(before);
    expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
  });

  test("and comes back with a decline while another holds the lease does not end it", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "1091");
    const hits = armFailpoints("refunds.after_acquirer:hold@1");
    const sent = refunds.approve(refundId);
    await eventually(() => hits("refunds.after_acquirer") > 0);
    await refunds.query(
      `update refunds.refund set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour',
         recover_at = now() + interval '1 hour' where refund_id = $1`,
      [refundId],
    );
    armFailpoints(undefined);
    expect(await sent).toMatchObject({ result: { state: "EXECUTING" } });
    await refunds.abandon(refundId);
    expect(await refunds.settled(refundId)).toBe("FAILED");
    expect(await refunds.events(refundId)).toEqual(["FAILED"]);
  });
});

test("several workers end each refund once", async () => {
  await refunds.startRefunds();
  const paymentId = await refunds.pay("1000000");
  // Equal refunds would wait for each other.
  const queued = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const amountMinor = `${10 + index}92`;
      return { amountMinor, refundId: await refunds.queue(paymentId, amountMinor) };
    }),
  );
  await Promise.all(queued.map(({ refundId }) => refunds.approve(refundId)));
  for (const { refundId, amountMinor } of queued) {
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.ledger(refundId)).toEqual([`refund approved ${amountMinor}`]);
    expect(await refunds.events(refundId)).toEqual(["SUCCESS"]);
  }
});

test("with payments away an end is decided, hidden, and shown when payments has heard of it", async () => {
  const alone = await startRefundsHarness({
    env: { ...FAST, RECOVERY_SCHEDULE: "50ms,100ms,150ms,200ms,250ms,300ms" },
    running: ["refunds"],
  });
  const payments = await alone.startPayments();
  const paymentId = await alone.pay();
  const [paid, rejected] = [await alone.queue(paymentId, "1000"), await alone.queue(paymentId, "2000")];
  const hits = armFailpoints("refunds.after_acquirer:hold@1");
  const approving = alone.approve(paid);
  await eventually(() => hits("refunds.after_acquirer") > 0);
  await payments.stop();
  armFailpoints(undefined);
  expect(await approving).toMatchObject({
    result: { state: "SETTLING", status: "PENDING_APPROVAL" },
  });
  expect(await alone.reject(rejected)).toMatchObject({
    result: { state: "REJECTING", status: "PENDING_APPROVAL" },
  });
  for (const refundId of [paid, rejected]) {
    const read = await alone.read(refundId);
    expect(read).toMatchObject({ result: { status: "PENDING_APPROVAL" } });
    expect(read).not.toHaveProperty("result.resultCode");
    expect(await alone.events(refundId)).toEqual([]);
  }
  await alone.startPayments();
  expect(await alone.settled(paid)).toBe("SUCCESS");
  expect(await alone.settled(rejected)).toBe("REJECTED");
  expect(await alone.amounts(paymentId)).toEqual({ reserved: 0, refunded: 1000, released: 0 });
  await alone.close();
});
