import type { CommandReply, listUnresolvedPayments, operatorPaymentPageSchema } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../database.ts";
import { operatorPayment } from "./operator-payment.ts";
import { findUnresolved, type UnresolvedPosition } from "./operator-payment-queries.ts";

type Page = z.infer<typeof operatorPaymentPageSchema>;

/** A page of the payments that wait for the bank, oldest first. */
export async function listUnresolved(
  { db, overdueAfterMs }: { db: Kysely<PaymentsDatabase>; overdueAfterMs: number },
  { limit, cursor }: z.infer<typeof listUnresolvedPayments.request>,
): Promise<CommandReply<Page>> {
  const after = cursor === undefined ? undefined : decodePosition(cursor);
  if (cursor !== undefined && after === undefined) {
    return { outcome: "problem", code: "validation_failed", extra: { errors: [INVALID_CURSOR] } };
  }
  // One more than asked for tells whether there is a next page.
  const rows = await findUnresolved(db, { limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    outcome: "done",
    result: {
      items: page.map((row) => operatorPayment(row, overdueAfterMs)),
      ...(rows.length > limit &&
        last && { nextCursor: encodePosition({ createdAt: last.created_at, paymentId: last.payment_id }) }),
    },
  };
}

const INVALID_CURSOR = {
  field: "cursor",
  code: "invalid_cursor",
  message: "must be a nextCursor of this list",
};

function encodePosition({ createdAt, paymentId }: UnresolvedPosition): string {
  return Buffer.from(`${createdAt.toISOString()} ${paymentId}`).toString("base64url");
}

function decodePosition(cursor: string): UnresolvedPosition | undefined {
  const [, at, paymentId] =
    /^(\d{4}-[\dT:.-]+Z) ([\da-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (at === undefined || paymentId === undefined || Number.isNaN(Date.parse(at))) return undefined;
  return { createdAt: new Date(at), paymentId };
}
