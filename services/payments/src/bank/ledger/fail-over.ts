import type { NotSent } from "@holdfast/acquirer";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { moveCall } from "./call-queries.ts";
import type { PaymentsDatabase } from "../../database.ts";

type Leased = { payment_id: string; lease_token: string; account_id: string };

/**
 * Calls the account that a payment is stored with, and the next ones of its route for as long as no connection was
 * made, so that certainly nothing was sent. Before each further call the payment is stored with that account: recovery
 * then asks where it may be. An answer, a lost one, or a refusal to take the call now ends it.
 *
 * @param payment its `account_id` is that of the last call when this resolves.
 */
export async function withFailover<Outcome extends { kind: string }>(
  { db, now }: { db: Kysely<PaymentsDatabase>; now: () => number },
  payment: Leased,
  { otherAccounts, deadlineAt }: { otherAccounts: readonly string[]; deadlineAt: number },
  call: () => Promise<Outcome | NotSent>,
): Promise<Outcome | NotSent> {
  let outcome = await call();
  for (const accountId of otherAccounts) {
    if (!foundNoConnection(outcome) || now() > deadlineAt) break;
    if (!(await moveCall(db, payment, accountId))) break;
    payment.account_id = accountId;
    await failpoint("payments.after_failover");
    outcome = await call();
  }
  return outcome;
}

/** Tells whether certainly nothing was sent, so that another account may be called instead. */
export function foundNoConnection(outcome: { kind: string; reason?: unknown }): boolean {
  return outcome.kind === "not_sent" && outcome.reason === undefined;
}
