import { failpoint } from "@holdfast/service-runtime";
import { orderIdOf, type BrowserReturn, type CompletionOutcome, type ReturnCheck } from "@holdfast/acquirer";
import type { Bank } from "../../bank/calls/bank.ts";
import { cardOperationOf } from "../../bank/ledger/attempts.ts";
import {
  concludeAuthorization,
  type ConcludeDeps,
  type ConcludedReply,
} from "../authorization/conclude-authorization.ts";
import { customerOf } from "../authorization/card-request.ts";
import type { PaymentToConclude } from "../../payment/authorization-outcome.ts";
import { decideCompletion } from "./enrolment-outcome.ts";
import { storeAuthentication } from "./store-authentication.ts";

export type CompleteAuthorizationDeps = ConcludeDeps & { bank: Pick<Bank, "of" | "callMs"> };

/** The acquirer's session, and the fields of the cardholder's browser if there was a challenge. */
type Completion = { session: string; returned?: BrowserReturn | undefined };

/** The authorization of a payment that is AUTHORIZING under our lease, without a challenge. */
export async function completeAuthorization(
  deps: CompleteAuthorizationDeps,
  payment: PaymentToConclude,
  { session, deadlineAt, keyed }: { session: string; deadlineAt: number; keyed: boolean },
): Promise<ConcludedReply> {
  const outcome = await callCompletion(deps, payment, { session }, deadlineAt);
  return await concludeCompletion(deps, payment, outcome, { keyed });
}

/** The one call that names the acquirer's session. */
export async function callCompletion(
  deps: CompleteAuthorizationDeps,
  payment: PaymentToConclude,
  completion: Completion,
  deadlineAt: number,
): Promise<CompletionOutcome> {
  const outcome = await deps.bank.of(payment.account_id).complete({
    ...returnCheck(payment, completion),
    customer: customerOf(payment, {}),
    expiresAt: new Date(Math.min(deps.now() + deps.bank.callMs, deadlineAt)),
  });
  await failpoint("payments.after_completion");
  return outcome;
}

export async function concludeCompletion(
  deps: CompleteAuthorizationDeps,
  payment: PaymentToConclude,
  outcome: CompletionOutcome,
  { keyed }: { keyed: boolean },
): Promise<ConcludedReply> {
  await storeAuthentication(deps, payment, outcome);
  return await concludeAuthorization(deps, payment, decideCompletion(outcome), { keyed });
}

/** A payment's completion as the acquirer's adapter judges it. */
export function returnCheck(
  payment: Pick<
    PaymentToConclude,
    "payment_id" | "transaction_type" | "installment_count" | "amount_minor" | "currency"
  >,
  { session, returned }: Completion,
): ReturnCheck {
  return {
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    operation: cardOperationOf(payment),
    session,
    ...(returned && { returned }),
    installmentCount: payment.installment_count,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
  };
}
