import type { CommandReply, OperatorContext, OperatorRefundDetail } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { CarryOutDeps } from "../refund/carry-out-refund.ts";
import { isUnderWay, merchantStatus, type RefundState } from "../refund/refund.ts";
import { leaseDue, lockRefund, type LeasedRefund } from "../refund/refund-queries.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import type { BeyondDeadline } from "./beyond-deadline.ts";
import type { ViewDeps } from "./list-refunds.ts";

/** Dependencies of every operators' command on one refund. */
export type OperatorDeps = CarryOutDeps & ViewDeps & { beyondDeadline: BeyondDeadline };
export type Reply = CommandReply<OperatorRefundDetail>;
export type Problem = Extract<Reply, { outcome: "problem" }>;
export type { OperatorContext };

/** A refund that is under way and that no process works on, locked until the transaction ends. */
export type IdleRefund = RefundRow & { state_age_ms: number };

/** Locks a refund that is under way. @returns why nobody can work on it now. */
export async function lockIdle(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
): Promise<IdleRefund | Problem | { outcome: "not_started" }> {
  const refund = await lockRefund(trx, refundId);
  if (!refund) return { outcome: "problem", code: "refund_not_found" };
  if (refund.state === "RESERVING") return { outcome: "not_started" };
  if (!isUnderWay(refund.state)) return invalidState(refund.state, "The refund is not being carried out.");
  if (refund.lease_is_live) return { outcome: "problem", code: "operation_in_progress" };
  return refund;
}

/** Leases a refund that `lockIdle` has locked. */
export async function leaseLocked(
  trx: Transaction<RefundsDatabase>,
  { limits: { leaseMs } }: Pick<OperatorDeps, "limits">,
  { refund_id }: IdleRefund,
): Promise<LeasedRefund> {
  const [leased] = await leaseDue(trx, { leaseMs, refundId: refund_id });
  if (!leased) throw new Error("a locked refund changed under its lock");
  return leased;
}

export function invalidState(state: Exclude<RefundState, "RESERVING">, detail: string): Problem {
  const currentStatus = merchantStatus(state);
  return { outcome: "problem", code: "invalid_payment_state", detail, extra: { currentStatus } };
}
