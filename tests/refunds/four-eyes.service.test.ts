import { randomUUID } from "node:crypto";
import { operations, readAuditLog } from "@holdfast/contracts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { personAs } from "../support/index.ts";
import { startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

/** Neither the requester nor the issuer of the requesting credential may decide. */
let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({
    env: { RECOVERY_SCHEDULE: "1h" },
    payments: { REFUND_TWO_APPROVERS_ABOVE: "TRY:1000.00" },
  });
});
afterEach(() => refunds.acquirerWillBehave());
afterAll(() => refunds.close());

const ISSUED_BY_YOU = {
  outcome: "problem",
  code: "same_person",
  detail: "You issued the credential with which this refund was requested.",
};

/** A refund that the merchant asks for with a credential that `issuer` issued. */
async function askedWithCredentialOf(
  issuer: string | undefined,
  { paymentId, amountMinor = "1000" }: { paymentId?: string; amountMinor?: string } = {},
): Promise<string> {
  const merchant = {
    merchantId: refunds.merchantId,
    ...(issuer && { credentialIssuedBy: personAs(issuer) }),
  };
  const reply = await refunds.ask(paymentId ?? (await refunds.pay("200000")), amountMinor, {
    change: { merchant },
  });
  if (reply.outcome !== "done") throw new Error(`not accepted: ${JSON.stringify(reply)}`);
  return reply.result.paymentId;
}

async function audited(refundId: string): Promise<string[]> {
  const log = await refunds.operate(readAuditLog.refunds, { limit: 100, subject: refundId });
  if (log.outcome !== "done") throw new Error(log.outcome);
  return log.result.entries
    .toReversed()
    .map(({ actor, action, detail }) =>
      [actor, action, ...(typeof detail["code"] === "string" ? [detail["code"]] : [])].join(" "),
    );
}

describe("whoever issued the credential that asked", () => {
  test("does not approve; the attempt is a line of the audit log, and another person approves", async () => {
    const refundId = await askedWithCredentialOf("alice");
    expect(await refunds.approve(refundId, "alice")).toEqual(ISSUED_BY_YOU);
    expect(await refunds.ledger(refundId)).toEqual([]);
    expect(await refunds.describe(refundId)).toMatchObject({
      result: { status: "PENDING_APPROVAL", approvals: 0, credentialIssuedBy: "alice" },
    });
    expect(await refunds.approve(refundId, "bora")).toMatchObject({ result: { status: "SUCCESS" } });
    expect(await audited(refundId)).toEqual([
      "alice refund.approval_refused same_person",
      "bora refund.approved",
    ]);
  });

  test("is neither of two approvers", async () => {
    const refundId = await askedWithCredentialOf("alice", { amountMinor: "100001" });
    expect(await refunds.approve(refundId, "bora")).toMatchObject({ result: { approvals: 1 } });
    expect(await refunds.approve(refundId, "alice")).toEqual(ISSUED_BY_YOU);
    expect(await refunds.approve(refundId, "cem")).toMatchObject({
      result: { status: "SUCCESS", approvals: 2 },
    });
  });

  test("does not reject either: asked in the merchant's name, it would leave the others' sight", async () => {
    const refundId = await askedWithCredentialOf("alice");
    expect(await refunds.reject(refundId, "alice")).toEqual(ISSUED_BY_YOU);
    expect(await refunds.reject(refundId, "bora")).toMatchObject({ result: { status: "REJECTED" } });
    expect(await audited(refundId)).toEqual([
      "alice refund.rejection_refused same_person",
      "bora refund.rejected",
    ]);
  });

  test("neither proposes how it is resolved nor confirms it", async () => {
    const refundId = await askedWithCredentialOf("alice");
    await refunds.acquirerWill("refund", "hang_before");
    await refunds.approve(refundId, "bora");
    await refunds.query(
      "update payments.bank_call set sent_at = sent_at - interval '1 hour' where movement_id = $1",
      [refundId],
    );
    expect(await refunds.resolve("alice", refundId, "FAILED")).toEqual(ISSUED_BY_YOU);
    expect(await refunds.describe(refundId)).not.toHaveProperty("result.resolution");
    await refunds.resolve("bora", refundId, "FAILED");
    expect(await refunds.resolve("alice", refundId, "FAILED")).toEqual(ISSUED_BY_YOU);
    expect(await refunds.resolve("cem", refundId, "FAILED")).toMatchObject({ result: { status: "FAILED" } });
    expect(await audited(refundId)).toEqual([
      "bora refund.approved",
      "alice refund.resolution_refused same_person",
      "bora refund.resolution_proposed",
      "alice refund.resolution_refused same_person",
      "cem refund.resolved",
    ]);
  });

  test("counts for each refund: another credential's issuer decides, and so does anybody where none is known", async () => {
    const paymentId = await refunds.pay("200000");
    const [ofBora, ofNobody] = [
      await askedWithCredentialOf("bora", { paymentId }),
      await askedWithCredentialOf(undefined, { paymentId }),
    ];
    expect(await refunds.approve(ofBora, "alice")).toMatchObject({ result: { status: "SUCCESS" } });
    expect(await refunds.approve(ofNobody, "bora")).toMatchObject({ result: { status: "SUCCESS" } });
  });
});

test("an operator takes back what they asked for themselves: the record names them", async () => {
  const [paymentId, refundId] = [await refunds.pay(), randomUUID()];
  const asked = { refundId, paymentId, merchantId: refunds.merchantId, amountMinor: "100", currency: "TRY" };
  await refunds.operate(
    operations.requestRefundForMerchant.command,
    { ...asked, reason: "a typing error" },
    "alice",
  );
  expect(await refunds.approve(refundId, "alice")).toMatchObject({ code: "same_person" });
  expect(await refunds.reject(refundId, "alice")).toMatchObject({ result: { status: "REJECTED" } });
});

test("a second approval by one person is a line of the audit log, too", async () => {
  const refundId = await askedWithCredentialOf("alice", { amountMinor: "100001" });
  await refunds.approve(refundId, "bora");
  expect(await refunds.approve(refundId, "bora")).toEqual({
    outcome: "problem",
    code: "already_approved_by_you",
  });
  expect(await audited(refundId)).toEqual([
    "bora refund.approved",
    "bora refund.approval_refused already_approved_by_you",
  ]);
});

test("a copy of the message that approved is no second attempt", async () => {
  const refundId = await askedWithCredentialOf("alice", { amountMinor: "100001" });
  const requestId = randomUUID();
  const approve = () => refunds.approve(refundId, "bora", requestId);
  expect(await approve()).toMatchObject({ result: { approvals: 1 } });
  expect(await approve()).toEqual({ outcome: "problem", code: "already_approved_by_you" });
  expect(await audited(refundId)).toEqual(["bora refund.approved"]);
});
