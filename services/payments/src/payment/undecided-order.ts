import type { CommandReply } from "@holdfast/contracts";
import { CompiledQuery, type Kysely } from "kysely";
import { DatabaseError } from "pg";
import type { PaymentsDatabase } from "../database.ts";
import { FIND_UNDECIDED } from "./claim-statements.ts";
import type { ClaimRow } from "./payment-statements.ts";

/**
 * One attempt at a merchant's order at a time, while its outcome at the bank is unknown (docs/adr/0036). It
 * is for the merchant whose first request got no answer and who sends the order again: without it two
 * payments would be made.
 */

/** The answer to a second attempt: it names the first, so that the merchant can look it up. Nothing has been written. */
export function orderUndecided(paymentId: string): Extract<CommandReply<never>, { outcome: "problem" }> {
  return { outcome: "problem", code: "order_undecided", extra: { paymentId } };
}

/** @returns the undecided payment that has this one's order, unless this one or its Idempotency-Key is known already. */
export async function findUndecided(
  db: Kysely<PaymentsDatabase>,
  row: Pick<
    ClaimRow,
    "claims_order" | "merchant_id" | "order_id" | "payment_id" | "idempotency_scope" | "idempotency_key"
  >,
): Promise<string | undefined> {
  if (!row.claims_order) return undefined;
  const { merchant_id, order_id, payment_id, idempotency_scope, idempotency_key } = row;
  const values = [merchant_id, order_id, payment_id, idempotency_scope, idempotency_key];
  const { rows } = await db.executeQuery<{ payment_id: string }>(CompiledQuery.raw(FIND_UNDECIDED, values));
  return rows[0]?.payment_id;
}

/**
 * Makes a claim again where the index refused it: of two claims that came together the first has been committed by
 * then, so the second finds it, or finds it decided already. @throws the database's refusal after {@link TRIES}.
 */
export async function retryOnOrderConflict<Claim>(claim: () => Promise<Claim>): Promise<Claim> {
  for (let tries = 1; ; tries++) {
    try {
      return await claim();
    } catch (error) {
      if (!isTakenOrder(error) || tries === TRIES) throw error;
    }
  }
}

/** An order would have to be decided and taken again between a refusal and the next look, this often in a row. */
const TRIES = 5;

function isTakenOrder(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === "payment_of_undecided_order";
}
