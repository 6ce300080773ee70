import type {
  CommandReply,
  listRefunds as listRefundsCommand,
  operatorRefundPageSchema,
  OperatorContext,
  OperatorRefundDetail,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { operatorRefund, operatorRefundDetail, type OperatorView } from "./operator-refund.ts";
import {
  findApprovals,
  findForOperator,
  findHistory,
  findQueue,
  type QueuePosition,
} from "./operator-refund-queries.ts";

export type ViewDeps = { db: Kysely<RefundsDatabase>; payments: PaymentsPort; view: OperatorView };

/** A page of refunds, oldest first, with what remains of their payments. */
export async function listRefunds(
  { db, payments, view }: ViewDeps,
  context: OperatorContext,
  { cursor, limit, ...filter }: z.infer<typeof listRefundsCommand.request>,
): Promise<CommandReply<z.infer<typeof operatorRefundPageSchema>>> {
  const after = cursor === undefined ? undefined : decodePosition(cursor);
  if (cursor !== undefined && after === undefined) {
    return { outcome: "problem", code: "validation_failed", extra: { errors: [INVALID_CURSOR] } };
  }
  // One more than asked for tells whether there is a next page.
  const rows = await findQueue(db, { ...filter, limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const approvals = await findApprovals(
    db,
    page.map(({ refund_id }) => refund_id),
  );
  const remaining = await payments.remaining(
    context,
    page.map(({ payment_id }) => payment_id),
  );
  const last = page.at(-1);
  return {
    outcome: "done",
    result: {
      items: page.map((row) =>
        operatorRefund(row, approvals.get(row.refund_id) ?? [], remaining.get(row.payment_id), view),
      ),
      ...(rows.length > limit &&
        last && { nextCursor: encodePosition({ createdAt: last.created_at, refundId: last.refund_id }) }),
    },
  };
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
  const [approvals, history] = await Promise.all([findApprovals(db, [refundId]), findHistory(db, refundId)]);
  const remaining = await payments.remaining(context, [refund.payment_id]);
  const shown = operatorRefund(refund, approvals.get(refundId) ?? [], remaining.get(refund.payment_id), view);
  return { outcome: "done", result: operatorRefundDetail(shown, history) };
}

const INVALID_CURSOR = {
  field: "cursor",
  code: "invalid_cursor",
  message: "must be a nextCursor of this list",
};

function encodePosition({ createdAt, refundId }: QueuePosition): string {
  return Buffer.from(`${createdAt.toISOString()} ${refundId}`).toString("base64url");
}

function decodePosition(cursor: string): QueuePosition | undefined {
  const [, at, refundId] =
    /^(\d{4}-[\dT:.-]+Z) ([\da-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (at === undefined || refundId === undefined || Number.isNaN(Date.parse(at))) return undefined;
  return { createdAt: new Date(at), refundId };
}
