import type { Challenge } from "@holdfast/acquirer";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { awaitCardholder } from "./session-queries.ts";

/**
 * Undoes the claim of a completion for which nothing was sent: the payment waits for its cardholder again, with the challenge
 * that it had, and recovery asks once the session has ended.
 * @returns false when the lease is no longer ours; then recovery settles the payment.
 */
export async function reopenSession(
  db: Kysely<PaymentsDatabase>,
  payment: { payment_id: string; lease_token: string },
  challenge: Challenge | undefined,
): Promise<boolean> {
  const change = { from: "AUTHORIZING", cause: "return_not_genuine", challenge } as const;
  return await awaitCardholder(db, payment, change);
}
