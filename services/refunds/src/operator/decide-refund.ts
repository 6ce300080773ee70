/**
 * The decisions of operators: each is made on the refund's locked row, and committed together with its line in the audit
 * log and the state it leads to. Only then the bank, or `payments`, is asked. Of any number of decisions that arrive
 * together one stands.
 */
import type { CommandReply, OperatorContext, OperatorRefundDetail } from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import type { Logger } from "@holdfast/service-runtime";
import type { Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import { carryOutRefund, type CarryOutDeps } from "../refund/carry-out-refund.ts";
import { changeRefund } from "../refund/change-refund.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import { lockRefund, type LeasedRefund } from "../refund/refund-queries.ts";
import { approvalsRequired } from "./approvals-required.ts";
import { auditRefund } from "./audit-refund.ts";
import { describeRefund, type ViewDeps } from "./list-refunds.ts";

export type DecideDeps = CarryOutDeps & ViewDeps & { log: Logger };
type Reply = CommandReply<OperatorRefundDetail>;
type Problem = Extract<Reply, { outcome: "problem" }>;
type Decision = RefundRow | Problem | { outcome: "not_started" };

/** Adds an approval; with the last one that is needed the refund is carried out at the bank. */
export async function approveRefund(
  deps: DecideDeps,
  context: OperatorContext,
  { refundId, note }: { refundId: string; note?: string | undefined },
): Promise<Reply> {
  const actor = context.operator.name;
  const decided = await decide(deps, refundId, async (trx, refund) => {
    if (refund.requested_by === actor) return { outcome: "problem", code: "same_person" };
    const approvals = await addApproval(trx, refundId, actor, note);
    if (approvals === undefined) return { outcome: "problem", code: "already_approved_by_you" };
    const required = approvalsRequired(refund, deps.view.twoAbove);
    await auditRefund(trx, context, "refund.approved", refund, {
      approvals,
      approvalsRequired: required,
      note,
    });
    if (approvals < required) return refund;
    return await change(trx, deps, refund, { to: "EXECUTING", cause: "approved" });
  });
  if ("outcome" in decided) return decided;
  deps.events.decided(decided, { actor, outcome: "approved" });
  return await carryOutAndDescribe(deps, context, decided);
}

/** Rejects for good; the amount can be refunded again once `payments` has released it. */
export async function rejectRefund(
  deps: DecideDeps,
  context: OperatorContext,
  { refundId, reason }: { refundId: string; reason: string },
): Promise<Reply> {
  const actor = context.operator.name;
  const decided = await decide(deps, refundId, async (trx, refund) => {
    await auditRefund(trx, context, "refund.rejected", refund, { reason });
    const set = {
      rejected_by: actor,
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

/** @returns how many have approved by now, or undefined if this operator had approved before. */
async function addApproval(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
  actor: string,
  note: string | undefined,
): Promise<number | undefined> {
  const added = await trx
    .insertInto("refund_approval")
    .values({ refund_id: refundId, approved_by: actor, note: note ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning("approved_by")
    .executeTakeFirst();
  if (!added) return undefined;
  const { count } = await trx
    .selectFrom("refund_approval")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("refund_id", "=", refundId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function change(
  trx: Transaction<RefundsDatabase>,
  { leaseMs }: DecideDeps,
  refund: RefundRow,
  to: Omit<Parameters<typeof changeRefund>[2], "leaseMs">,
): Promise<RefundRow> {
  const changed = await changeRefund(trx, refund, { ...to, leaseMs });
  if (!changed) throw new Error("a locked refund changed under its lock");
  return changed;
}

/** The decision stands whatever happens here: recovery finishes what fails. */
async function carryOutAndDescribe(
  deps: DecideDeps,
  context: OperatorContext,
  refund: RefundRow,
): Promise<Reply> {
  if (refund.lease_token !== null) {
    try {
      const acquirerTimeoutMs = Math.max(
        0,
        Math.min(deps.acquirerTimeoutMs, context.deadlineAt - deps.now()),
      );
      await carryOutRefund({ ...deps, acquirerTimeoutMs }, refund as LeasedRefund, { resumed: false });
    } catch (error) {
      deps.log.error(
        { refundId: refund.refund_id, error },
        "a decision could not be carried out immediately",
      );
    }
  }
  return await describeRefund(deps, context, refund.refund_id);
}
