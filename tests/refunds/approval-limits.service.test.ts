import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;

beforeAll(async () => {
  const limits = { REFUND_APPROVER_DAILY_MAX: "TRY:2000.00" };
  const payments = { REFUND_TWO_APPROVERS_ABOVE: "TRY:1000.00" };
  refunds = await startRefundsHarness({ env: FAST, refunds: limits, payments });
  await refunds.startRefunds(limits);
});
afterAll(() => refunds.close());

const waiting = {
  outcome: "done",
  result: { status: "PENDING_APPROVAL", approvals: 1, approvalsRequired: 2 },
};
const refused = { outcome: "problem", code: "approver_limit_reached" };

describe("two people have to approve where a payment's refunds exceed the limit together", () => {
  test("whatever parts they come in, those that wait included", async () => {
    const paymentId = await refunds.pay("200000");
    const first = await refunds.queue(paymentId, "60000");
    expect(await refunds.describe(first)).toMatchObject({ result: { approvalsRequired: 1 } });
    const second = await refunds.queue(paymentId, "60000");
    expect(await refunds.approve(first, "two-1")).toMatchObject(waiting);
    expect(await refunds.approve(first, "two-2")).toMatchObject({ result: { status: "SUCCESS" } });
    expect(await refunds.approve(second, "two-1")).toMatchObject(waiting);
  });

  test("once one has been paid the next counts it; what was decided before stays as it was", async () => {
    const paymentId = await refunds.pay("200000");
    const first = await refunds.queue(paymentId, "60000");
    expect(await refunds.approve(first, "paid-1")).toMatchObject({ result: { status: "SUCCESS" } });
    const second = await refunds.queue(paymentId, "60000");
    expect(await refunds.approve(second, "paid-2")).toMatchObject(waiting);
    expect(await refunds.describe(first)).toMatchObject({ result: { approvals: 1, approvalsRequired: 1 } });
  });

  test("but rejected and failed ones do not count", async () => {
    const paymentId = await refunds.pay("200000");
    const [rejected, declined] = [
      await refunds.queue(paymentId, "60000"),
      await refunds.queue(paymentId, "30091"),
    ];
    await refunds.reject(rejected);
    expect(await refunds.approve(declined, "none-1")).toMatchObject({ result: { status: "FAILED" } });
    const third = await refunds.queue(paymentId, "90000");
    expect(await refunds.approve(third, "none-2")).toMatchObject({
      result: { status: "SUCCESS", approvalsRequired: 1 },
    });
  });

  test("in approvals that arrive together at two processes, too", async () => {
    for (let round = 0; round < 5; round++) {
      const paymentId = await refunds.pay("200000");
      const ids = await Promise.all(["51000", "52000"].map((amount) => refunds.queue(paymentId, amount)));
      const replies = await Promise.all(
        ids.map((refundId, index) => refunds.approve(refundId, `race-${round}-${index}`)),
      );
      for (const reply of replies) expect(reply).toMatchObject(waiting);
    }
  });
});

describe("one person approves no more than the limit in 24 hours", () => {
  const part = async (amountMinor = "90000") => refunds.queue(await refunds.pay("100000"), amountMinor);

  test("over all payments; beyond it 403 with what is left, a line in the audit log, and nothing else", async () => {
    await refunds.approve(await part(), "daily");
    await refunds.approve(await part(), "daily");
    const third = await part();
    expect(await refunds.approve(third, "daily")).toEqual({
      ...refused,
      detail: "You may approve TRY 2000.00 in 24 hours, and have approved TRY 1800.00.",
    });
    expect(await refunds.describe(third)).toMatchObject({ result: { approvals: 0 } });
    const entries = await refunds.query<{ actor: string; action: string; detail: string }>(
      "select actor, action, detail from refunds.audit_entry where subject = $1",
      [third],
    );
    expect(entries).toMatchObject([{ actor: "daily", action: "refund.approval_refused" }]);
    expect(JSON.parse(entries[0]!.detail)).toMatchObject({ code: "approver_limit_reached" });
    expect(await refunds.ledger(third)).toEqual([]);
    // Up to the limit, and by another person.
    expect(await refunds.approve(await part("20000"), "daily")).toMatchObject({ outcome: "done" });
    expect(await refunds.approve(third, "somebody else")).toMatchObject({ result: { status: "SUCCESS" } });
  });

  test("by the database's clock: what was approved more than a day ago does not count", async () => {
    await refunds.approve(await part(), "yesterday");
    await refunds.approve(await part(), "yesterday");
    expect(await refunds.approve(await part(), "yesterday")).toMatchObject(refused);
    await refunds.query(
      "update refunds.refund_approval set at = at - interval '24 hours' where approved_by like '% yesterday'",
    );
    expect(await refunds.approve(await part(), "yesterday")).toMatchObject({ outcome: "done" });
  });

  test("also in approvals that arrive together at two processes", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => part()));
    const approveUntilAnswered = async (refundId: string) => {
      const { outcome } = await refunds.approve(refundId, "eight at once");
      // A busy machine may leave one without an answer: it is asked again, and the database has every decision.
      return outcome === "done" || outcome === "problem";
    };
    await Promise.all(ids.map((refundId) => eventually(() => approveUntilAnswered(refundId))));
    const [decided] = await refunds.query<{ approved: number; refused: number }>(
      `select (select count(*) from refunds.refund_approval where approved_by like '% eight at once')::int as approved,
         (select count(distinct subject) from refunds.audit_entry
            where actor = 'eight at once' and action = 'refund.approval_refused')::int as refused`,
      [],
    );
    expect(decided).toEqual({ approved: 2, refused: 6 });
  });
});
