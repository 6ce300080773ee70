import {
  type CommandReply,
  type OperatorContext,
  type OperatorRefund,
  type OperatorRefundDetail,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import {
  operatorRefund,
  operatorRefundDetail,
  type OperatorRefundRow,
  type OperatorView,
} from "./operator-refund.ts";
import { findApprovals, findForOperator, findHistory } from "./operator-refund-queries.ts";

export type ViewDeps = { db: Kysely<RefundsDatabase>; payments: PaymentsPort; view: OperatorView };

/** Each of the refunds as operators see it, with the remainder of its payment. */
export async function describeEach(
  { db, payments, view }: ViewDeps,
  context: OperatorContext,
  rows: OperatorRefundRow[],
): Promise<OperatorRefund[]> {
  const paymentIds = rows.map(({ payment_id }) => payment_id);
  const approvals = await findApprovals(
    db,
    rows.map(({ refund_id }) => refund_id),
  );
  const remaining = await payments.remaining(context, paymentIds);
  return rows.map((row) =>
    operatorRefund(
      row,
      { approvals: approvals.get(row.refund_id) ?? [], remaining: remaining.get(row.payment_id) },
      view,
    ),
  );
}

/** One refund of any merchant, with its history. */
export async function describeRefund(
  { db, payments, view }: ViewDeps,
  context: OperatorContext,
  refundId: string,
): Promise<CommandReply<OperatorRefundDetail>> {
  const refund = await findForOperator(db, refundId);
  if (!refund) return { outcome: "problem", code: "refund_not_found" };
  if (refund.state === "RESERVING") return { outcome: "not_started" };
  const [byRefund, history] = await Promise.all([findApprovals(db, [refundId]), findHistory(db, refundId)]);
  const approvals = byRefund.get(refundId) ?? [];
  const remaining = (await payments.remaining(context, [refund.payment_id])).get(refund.payment_id);
  const shown = operatorRefund(refund, { approvals, remaining }, view);
  return { outcome: "done", result: operatorRefundDetail(shown, history) };
}
