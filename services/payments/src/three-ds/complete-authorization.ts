import { failpoint } from "@holdfast/failpoints";
import type { Acquirer } from "@holdfast/acquirer";
import {
  concludeAuthorization,
  type ConcludeDeps,
  type ConcludedReply,
} from "../authorization/conclude-authorization.ts";
import type { LeasedForSettlement } from "../payment/settlement.ts";
import { decideCompletion } from "./enrolment-outcome.ts";
import { saveAuthentication } from "./session-queries.ts";

export type CompleteAuthorizationDeps = ConcludeDeps & { acquirer: Acquirer; acquirerTimeoutMs: number };

/** The authorization of a payment that is AUTHORIZING under our lease: one call that names the acquirer's session. */
export async function completeAuthorization(
  deps: CompleteAuthorizationDeps,
  payment: LeasedForSettlement,
  { session, deadlineAt, keyed }: { session: string; deadlineAt: number; keyed: boolean },
): Promise<ConcludedReply> {
  const outcome = await deps.acquirer.complete({
    reference: payment.payment_id,
    operation: payment.transaction_type === "PAYMENT" ? "sale" : "authorize",
    session,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    expiresAt: new Date(Math.min(deps.now() + deps.acquirerTimeoutMs, deadlineAt)),
  });
  await failpoint("payments.after_completion");
  if ("authentication" in outcome && outcome.authentication) {
    try {
      await saveAuthentication(deps.db, payment.payment_id, outcome.authentication);
    } catch (error) {
      // Evidence for a dispute; the money does not wait for it.
      deps.events.writeFailed("record", payment, error);
    }
  }
  return await concludeAuthorization(deps, payment, decideCompletion(outcome), { keyed });
}
