import { failpoint } from "@holdfast/service-runtime";
import { orderIdOf } from "@holdfast/acquirer";
import type { Acquirers } from "../acquirer-account/acquirers.ts";
import { cardOperationOf } from "../bank-calls/attempts.ts";
import {
  concludeAuthorization,
  type ConcludeDeps,
  type ConcludedReply,
} from "../authorization/conclude-authorization.ts";
import type { LeasedForSettlement } from "../payment/authorization-outcome.ts";
import { decideCompletion } from "./enrolment-outcome.ts";
import { keepAuthentication } from "./keep-authentication.ts";

export type CompleteAuthorizationDeps = ConcludeDeps & { acquirers: Acquirers; acquirerTimeoutMs: number };

/** The authorization of a payment that is AUTHORIZING under our lease: one call that names the acquirer's session. */
export async function completeAuthorization(
  deps: CompleteAuthorizationDeps,
  payment: LeasedForSettlement,
  { session, deadlineAt, keyed }: { session: string; deadlineAt: number; keyed: boolean },
): Promise<ConcludedReply> {
  const outcome = await deps.acquirers.of(payment.account_id).complete({
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    operation: cardOperationOf(payment),
    session,
    installmentCount: payment.installment_count,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    expiresAt: new Date(Math.min(deps.now() + deps.acquirerTimeoutMs, deadlineAt)),
  });
  await failpoint("payments.after_completion");
  await keepAuthentication(deps, payment, outcome);
  return await concludeAuthorization(deps, payment, decideCompletion(outcome), { keyed });
}
