import {
  cutPage,
  INVALID_CURSOR_ERRORS,
  timeCursor,
  type CommandReply,
  type listUnresolvedPayments,
  type operatorPaymentPageSchema,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../database.ts";
import { operatorPayment } from "./operator-payment.ts";
import { findUnresolved } from "./operator-payment-queries.ts";

type Page = z.infer<typeof operatorPaymentPageSchema>;

/** A page of the payments that wait for the bank, oldest first. */
export async function listUnresolved(
  { db, overdueAfterMs }: { db: Kysely<PaymentsDatabase>; overdueAfterMs: number },
  { limit, cursor }: z.infer<typeof listUnresolvedPayments.request>,
): Promise<CommandReply<Page>> {
  const after = cursor === undefined ? undefined : timeCursor.decode(cursor);
  if (cursor !== undefined && after === undefined) {
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  }
  const rows = await findUnresolved(db, { limit: limit + 1, after });
  const { page, next } = cutPage(rows, limit, ({ created_at_utc, payment_id }) =>
    timeCursor.encode({ createdAt: created_at_utc, id: payment_id }),
  );
  return {
    outcome: "done",
    result: { items: page.map((row) => operatorPayment(row, overdueAfterMs)), ...next },
  };
}
