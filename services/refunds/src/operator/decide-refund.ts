/**
 * The decisions of operators: each is made on the refund's locked row, and committed together with its line in the audit
 * log and the state it leads to. Only then the bank, or `payments`, is asked. Of any number of decisions that arrive
 * together one stands.
 */
import { isSamePerson, type OperatorContext, type ProblemCode } from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import type { Transaction } from "kysely";
import type { AmountsByCurrency } from "@holdfast/contracts";
import type { RefundsDatabase } from "../database.ts";
import { carryOutRefund } from "../refund/carry-out-refund.ts";
import { changeRefund } from "../refund/change-refund.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import { lockRefund, type LeasedRefund } from "../refund/refund-queries.ts";
import { exceedsApproverLimit } from "./approver-limit.ts";
import { auditRefund, ISSUED_BY_YOU, refuseAttempt } from "./audit-refund.ts";
import { describeRefund } from "./list-refunds.ts";
import type { OperatorDeps, Problem, Reply } from "./operator-request.ts";

export type DecideDeps = OperatorDeps & {
  /** `approverDailyMax`: the sum that one person may approve in 24 hours, by currency. */
  limits: { approverDailyMax: AmountsByCurrency };
};
type Decision = RefundRow | Problem | { outcome: "not_started" };

/**
 * Adds an approval. The last required approval makes the refund due at the bank. `payments`, which verifies
 * the same people itself, has said how many are required, and pays nothing before it agrees.
 */
export async function approveRefund(
  deps: DecideDeps,
  context: OperatorContext,
  {
    refundId,
    approvalsRequired,
    note,
  }: { refundId: string; approvalsRequired: number; note?: string | undefined },
): Promise<Reply> {
  const actor = context.operator.name;
  const decided = await decide(deps, refundId, async (trx, refund) => {
    const refused = await refusalOf(deps, trx, context, refund);
    if (refused) return refused;
    const approvals = await addApproval(trx, context, { refundId, note });
    await auditRefund(trx, context, "refund.approved", refund, { approvals, approvalsRequired, note });
    if (approvals < approvalsRequired) return refund;
    const set = { approvals_required: approvalsRequired };
    return await change(trx, deps, refund, { to: "EXECUTING", cause: "approved", set });
  });
  if ("outcome" in decided) return decided;
  deps.events.decided(decided, { actor, outcome: "approved" });
  return await carryOutAndDescribe(deps, context, decided);
}

/**
 * The reason why this person may not approve this refund. An attempt without the authority for it is written to the
 * audit log.
 */
async function refusalOf(
  { limits: { approverDailyMax } }: DecideDeps,
  trx: Transaction<RefundsDatabase>,
  context: OperatorContext,
  refund: RefundRow,
): Promise<Problem | undefined> {
  const { person } = context.operator;
  const refuse = (code: ProblemCode, detail?: string) =>
    refuseAttempt(trx, context, "refund.approval_refused", refund, { code, detail });
  if (isSamePerson(refund.requested_by, person)) return await refuse("same_person");
  if (isSamePerson(refund.credential_issued_by, person)) return await refuse("same_person", ISSUED_BY_YOU);
  const approval = await findApproval(trx, refund.refund_id, person);
  // A copy of the message that approved is no second attempt.
  if (approval && approval.request_id === context.requestId)
    return { outcome: "problem", code: "already_approved_by_you" };
  if (approval) return await refuse("already_approved_by_you");
  const excess = await exceedsApproverLimit(trx, { approver: person, refund }, approverDailyMax);
  return excess === undefined ? undefined : await refuse("approver_limit_reached", excess);
}

/**
 * Rejects for good; the amount can be refunded again once `payments` has released it. An operator may reject
 * a request under their own name. A person who issued the requesting credential may not: the record names
 * only the merchant, and one person could request in its name and then hide the request from the others.
 */
export async function rejectRefund(
  deps: DecideDeps,
  context: OperatorContext,
  { refundId, reason }: { refundId: string; reason: string },
): Promise<Reply> {
  const actor = context.operator.name;
  const decided = await decide(deps, refundId, async (trx, refund) => {
    if (isSamePerson(refund.credential_issued_by, context.operator.person)) {
      const detail = ISSUED_BY_YOU;
      return await refuseAttempt(trx, context, "refund.rejection_refused", refund, {
        code: "same_person",
        detail,
      });
    }
    await auditRefund(trx, context, "refund.rejected", refund, { reason });
    const set = {
      rejected_by: context.operator.person,
      rejection_reason: reason,
      result_code: "rejected",
      result_message: reason,
    };
    return await change(trx, deps, refund, { to: "REJECTING", cause: "rejected", set });
  });
  if ("outcome" in decided) return decided;
  deps.events.decided(decided, { actor, outcome: "rejected" });
  return await carryOutAndDescribe(deps, context, decided);
}

async function decide(
  { db }: DecideDeps,
  refundId: string,
  decision: (trx: Transaction<RefundsDatabase>, refund: RefundRow) => Promise<Decision>,
): Promise<Decision> {
  const decided = await db.transaction().execute(async (trx): Promise<Decision> => {
    const refund = await lockRefund(trx, refundId);
    if (!refund) return { outcome: "problem", code: "refund_not_found" };
    if (refund.state === "RESERVING") return { outcome: "not_started" };
    if (refund.state !== "PENDING_APPROVAL") return { outcome: "problem", code: "refund_already_decided" };
    return await decision(trx, refund);
  });
  await failpoint("refunds.after_decision");
  return decided;
}

async function findApproval(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
  person: string,
): Promise<{ request_id: string } | undefined> {
  return await trx
    .selectFrom("refund_approval")
    .select("request_id")
    .where("refund_id", "=", refundId)
    .where("approved_by", "=", person)
    .executeTakeFirst();
}

/** @returns how many have approved by now. The refund's lock keeps the same person from a second approval. */
async function addApproval(
  trx: Transaction<RefundsDatabase>,
  { operator, requestId }: OperatorContext,
  { refundId, note }: { refundId: string; note: string | undefined },
): Promise<number> {
  const by = { approved_by: operator.person, request_id: requestId };
  await trx
    .insertInto("refund_approval")
    .values({ refund_id: refundId, ...by, note: note ?? null })
    .execute();
  const { count } = await trx
    .selectFrom("refund_approval")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("refund_id", "=", refundId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function change(
  trx: Transaction<RefundsDatabase>,
  { limits: { leaseMs } }: DecideDeps,
  refund: RefundRow,
  to: Omit<Parameters<typeof changeRefund>[2], "leaseMs">,
): Promise<RefundRow> {
  const changed = await changeRefund(trx, refund, { ...to, leaseMs });
  if (!changed) throw new Error("a locked refund changed under its lock");
  return changed;
}

/**
 * The decision is final whatever happens here: recovery finishes failed work. The operator is answered in
 * time. Work that the bank has not answered by then continues under its lease; the operator's deadline never
 * shortens the call.
 */
async function carryOutAndDescribe(
  deps: DecideDeps,
  context: OperatorContext,
  refund: RefundRow,
): Promise<Reply> {
  if (refund.lease_token !== null) {
    const carryingOut = carryOutRefund(deps, refund as LeasedRefund, { resumed: false });
    await deps.beyondDeadline.wait(carryingOut, context);
  }
  return await describeRefund(deps, context, refund.refund_id);
}
