import type { RefundFilter, TimePosition } from "@holdfast/contracts";
import { msSince, ofMode, utcMicroseconds } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import type { RefundHistoryTable, RefundsDatabase } from "../database.ts";
import type { RefundState } from "../refund/refund.ts";
import type { Approval, OperatorRefundRow } from "./operator-refund.ts";

export type QueueQuery = {
  status?: RefundFilter | undefined;
  merchantId?: string | undefined;
  /** Undefined for both modes. */
  livemode?: boolean | undefined;
  limit: number;
  after: TimePosition | undefined;
};

/** Refunds, oldest first, without those that were never shown. */
export async function findQueue(
  db: Kysely<RefundsDatabase>,
  { status, merchantId, livemode, limit, after }: QueueQuery,
): Promise<OperatorRefundRow[]> {
  return await withOperatorColumns(db)
    .where("state", "<>", "RESERVING")
    // Literals, so that the planner sees the partial index of those that are under way.
    .$if(status !== undefined, (query) =>
      query.where(
        "state",
        "in",
        STATES[status!].map((state) => sql.lit(state)),
      ),
    )
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .$if(livemode !== undefined, (query) => query.where(ofMode("merchant_id", livemode!)))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, refund.refund_id) > (${after?.createdAt}::timestamptz, ${after?.id}::uuid)`,
      ),
    )
    .orderBy("created_at")
    .orderBy("refund.refund_id")
    .limit(limit)
    .execute();
}

const STATES: Record<RefundFilter, RefundState[]> = {
  PENDING_APPROVAL: ["PENDING_APPROVAL"],
  EXECUTING: ["EXECUTING", "SETTLING", "FAILING", "REJECTING"],
  SUCCESS: ["SUCCESS"],
  FAILED: ["FAILED"],
  REJECTED: ["REJECTED"],
};

/** Any merchant's refund. */
export async function findForOperator(
  db: Kysely<RefundsDatabase>,
  refundId: string,
): Promise<OperatorRefundRow | undefined> {
  return await withOperatorColumns(db).where("refund.refund_id", "=", refundId).executeTakeFirst();
}

function withOperatorColumns(db: Kysely<RefundsDatabase>) {
  return db
    .selectFrom("refund")
    .leftJoin("refund_resolution as resolution", "resolution.refund_id", "refund.refund_id")
    .selectAll("refund")
    .select([
      utcMicroseconds("created_at").as("created_at_utc"),
      msSince("created_at").as("age_ms"),
      msSince("state_since").as("state_age_ms"),
      "resolution.outcome as resolution_outcome",
      "resolution.evidence as resolution_evidence",
      "resolution.proposed_by as resolution_proposed_by",
      "resolution.proposed_at as resolution_proposed_at",
    ]);
}

/** The approvals of each refund, oldest first. */
export async function findApprovals(
  db: Kysely<RefundsDatabase>,
  refundIds: string[],
): Promise<Map<string, Approval[]>> {
  if (refundIds.length === 0) return new Map();
  const approvals = await db
    .selectFrom("refund_approval")
    .selectAll()
    .where("refund_id", "in", refundIds)
    .orderBy("at")
    .execute();
  return Map.groupBy(approvals, ({ refund_id }) => refund_id);
}

export async function findHistory(
  db: Kysely<RefundsDatabase>,
  refundId: string,
): Promise<Selectable<RefundHistoryTable>[]> {
  return await db
    .selectFrom("refund_history")
    .selectAll()
    .where("refund_id", "=", refundId)
    .orderBy("version")
    .execute();
}
