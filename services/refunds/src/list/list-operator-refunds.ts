import {
  isRefundQueue,
  operations,
  type CommandReply,
  type ListPart,
  type OperatorContext,
  type OperatorRefund,
} from "@holdfast/contracts";
import { readList, type ListedColumns, type ReadRows } from "@holdfast/lists";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";
import { describeEach, type ViewDeps } from "../operator/list-refunds.ts";
import type { OperatorRefundRow } from "../operator/operator-refund.ts";
import { findQueue } from "../operator/operator-refund-queries.ts";
import { OPERATORS_REFUNDS } from "./refund-list-table.ts";

export type ListForOperatorDeps = ViewDeps & {
  /** The database on the connections of lists. */
  lists: Kysely<RefundsDatabase>;
};

type Asked = z.infer<typeof operations.listRefunds.command.request>;
type Listed = OperatorRefundRow & Pick<ListedColumns, "created_at_utc" | "listed_id">;

/**
 * Refunds of any merchant, with the columns that only operators see: a queue oldest first, everything else
 * newest first.
 */
export async function listForOperator(
  deps: ListForOperatorDeps,
  context: OperatorContext,
  asked: Asked,
): Promise<CommandReply<ListPart<OperatorRefund>>> {
  const { rows, readTo } = isRefundQueue(asked.filter)
    ? await readQueue(deps, asked)
    : await readList<OperatorRefundRow>(deps.lists, OPERATORS_REFUNDS, asked);
  const items = await describeEach(deps, context, rows);
  return {
    outcome: "done",
    result: {
      items: items.map((item, index) => ({
        createdAt: rows[index]!.created_at_utc,
        id: item.refundId,
        item,
      })),
      ...(readTo && { readTo }),
    },
  };
}

async function readQueue(
  { lists }: ListForOperatorDeps,
  { filter: { status, merchantId }, livemode, after, limit }: Asked,
): Promise<ReadRows<Pick<Listed, "created_at_utc"> & OperatorRefundRow>> {
  const found = await findQueue(lists, { status, merchantId, livemode, after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, ...(last && { readTo: { createdAt: last.created_at_utc, id: last.refund_id } }) };
}
