import {
  COMPARED_FACTS_MAX,
  isLive,
  type CommandReply,
  type ComparedFact,
  type ComparedPlace,
  type MovementFact,
  type readComparedFacts,
} from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "./refund-record.ts";

/**
 * What moved money of these refunds, for the comparison with the bank's files. One that is not known is left out, and so
 * is one that was never shown.
 */
export async function readRefundFacts(
  db: Kysely<RefundsDatabase>,
  ids: string[],
): Promise<CommandReply<{ facts: MovementFact[] }>> {
  const rows = await db
    .selectFrom("refund")
    .selectAll()
    .where("refund_id", "in", ids)
    .where("state", "!=", "RESERVING")
    .execute();
  return { outcome: "done", result: { facts: rows.map(refundFact) } };
}

/**
 * A page of what was asked for in some time, in the order of its index, so that no row is read but those of the page. One that
 * was never shown is left out.
 */
export async function compareRefundFacts(
  db: Kysely<RefundsDatabase>,
  { from, before, after }: z.infer<typeof readComparedFacts.refunds.request>,
): Promise<CommandReply<{ facts: ComparedFact[]; next?: ComparedPlace }>> {
  const rows = await db
    .selectFrom("refund")
    .selectAll()
    .select(sql<string>`(extract(epoch from created_at) * 1000000)::bigint::text`.as("made_us"))
    .where("created_at", ">=", new Date(from))
    .where("created_at", "<", new Date(before))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, refund_id) >
          (timestamptz 'epoch' + ${after!.madeUs}::bigint * interval '1 microsecond', ${after!.id}::uuid)`,
      ),
    )
    .orderBy("created_at")
    .orderBy("refund_id")
    .limit(COMPARED_FACTS_MAX)
    .execute();
  const last = rows.length === COMPARED_FACTS_MAX ? rows.at(-1) : undefined;
  const facts = rows
    .filter(({ merchant_id, state }) => isLive(merchant_id) && state !== "RESERVING")
    .map((row) => refundFact(row))
    .map(({ id, standing, amountMinor, currency }) => ({ id, standing, amountMinor, currency }));
  const next = last && { madeUs: last.made_us, id: last.refund_id };
  return { outcome: "done", result: { facts, ...(next && { next }) } };
}

function refundFact(row: RefundRow): MovementFact {
  if (row.order_id === null || row.masked_pan === null) throw new Error("a refund without its payment");
  return {
    id: row.refund_id,
    parentId: row.payment_id,
    merchantId: row.merchant_id,
    kind: "REFUND",
    standing: standingOf(row),
    amountMinor: `${row.amount_minor}`,
    currency: row.currency,
    occurredAt: row.state_since.toISOString(),
    version: row.version,
    orderId: row.order_id,
    maskedPan: row.masked_pan,
    ...(row.external_transaction_id !== null && { externalTransactionId: row.external_transaction_id }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
  };
}

/** What was released from an authorization was never collected, so the bank has nothing to report. */
export function standingOf({ state, kind }: Pick<RefundRow, "state" | "kind">): MovementFact["standing"] {
  switch (state) {
    case "RESERVING":
    case "PENDING_APPROVAL":
    case "EXECUTING":
      return "OPEN";
    case "SETTLING":
    case "SUCCESS":
      return kind === "release" ? "NOT_DONE" : "DONE";
    case "FAILING":
    case "FAILED":
    case "REJECTING":
    case "REJECTED":
      return "NOT_DONE";
    default:
      return state satisfies never;
  }
}
