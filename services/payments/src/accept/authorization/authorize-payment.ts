/**
 * A pre-authorization or a sale in three phases, each one transaction or one external call and never both: claim,
 * authorize, record. Before them come the merchant's rules, which may reject it without asking the bank. The state
 * committed after each phase is enough for another process to continue from there, and no phase is ever repeated blindly:
 * a copy of the message is answered from the first one's row, and an unknown outcome is left to recovery and never called
 * a decline.
 */
import type { AcquirerOutcome } from "@holdfast/acquirer";
import { certainlyNotCommitted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { ApiPaymentResponse, CommandReply, PreAuthorizePayment, SellPayment } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import {
  DEADLINE_PASSED,
  decideAuthorization,
  NOT_YET_ANSWERED,
  type PaymentToConclude,
} from "../../payment/authorization-outcome.ts";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import type { Join, OrderTaken } from "../../payment/payment-writes.ts";
import { orderUndecided } from "../../payment/undecided-order.ts";
import { withFailover } from "../../bank/ledger/fail-over.ts";
import type { Bank } from "../../bank/calls/bank.ts";
import type { Admission, Admitted, OfCheckout } from "./admit-payment.ts";
import { answerKnownPayment } from "./answer-known-payment.ts";
import { cardRequestOf, type CardPayment } from "./card-request.ts";
import { concludeAuthorization, type ConcludeDeps } from "./conclude-authorization.ts";

export type AuthorizationDeps = ConcludeDeps & { admission: Admission; bank: Bank };

type Message = Incoming<PreAuthorizePayment | SellPayment>;
type Reply = CommandReply<ApiPaymentResponse>;

export type Authorization = ReturnType<typeof createAuthorization>;

export function createAuthorization(deps: AuthorizationDeps) {
  return {
    authorize: (message: Message, type: "PRE_AUTHORIZATION" | "PAYMENT", ofCheckout?: OfCheckout) =>
      authorizePayment(deps, message, type, ofCheckout),
  };
}

async function authorizePayment(
  deps: AuthorizationDeps,
  message: Message,
  transactionType: "PRE_AUTHORIZATION" | "PAYMENT",
  ofCheckout: OfCheckout = {},
): Promise<Reply> {
  return await deps.admission.admit(message, { transactionType, ...ofCheckout }, (admitted) =>
    authorizeAdmitted(deps, message, admitted, ofCheckout.join),
  );
}

async function authorizeAdmitted(
  deps: AuthorizationDeps,
  message: Message,
  { row, card, details, otherAccounts }: Admitted,
  join: Join | undefined,
): Promise<Reply> {
  const { context } = message;
  const keyed = context.idempotency !== undefined;
  const claimed = await claim(deps, row, join);
  if (claimed === "taken") return await answerKnownPayment(deps, message, row);
  if (claimed === "not_started" || claimed === "in_doubt") return { outcome: claimed };
  if ("undecided" in claimed) return orderUndecided(claimed.undecided);
  if (deps.now() > context.deadlineAt) {
    return await concludeAuthorization(deps, claimed, DEADLINE_PASSED, { keyed });
  }

  const decision = decideAuthorization(
    await withFailover(deps, claimed, { otherAccounts, deadlineAt: context.deadlineAt }, () =>
      authorize(deps, message, { payment: claimed, card, details }),
    ),
  );
  await failpoint("payments.after_acquirer");
  return await concludeAuthorization(deps, claimed, decision, { keyed });
}

async function claim(
  { writes, events }: AuthorizationDeps,
  row: ClaimRow,
  join: Join | undefined,
): Promise<PaymentToConclude | OrderTaken | "taken" | "not_started" | "in_doubt"> {
  try {
    await failpoint("payments.before_claim");
    const claimed = await writes.claim(row, join);
    await failpoint("payments.after_claim");
    if (!claimed) return "taken";
    if ("undecided" in claimed) return claimed;
    return { ...row, ...NOT_YET_ANSWERED, ...claimedVersion(claimed), state: "AUTHORIZING", ...claimed };
  } catch (error) {
    events.writeFailed("claim", row, error);
    return certainlyNotCommitted(error) ? "not_started" : "in_doubt";
  }
}

/** The version with which a payment begins, and since when it is in its first state. */
export function claimedVersion({ created_at }: { created_at: Date }): { version: number; state_since: Date } {
  return { version: 1, state_since: created_at };
}

function authorize(
  deps: AuthorizationDeps,
  { context }: Message,
  given: CardPayment,
): Promise<AcquirerOutcome> {
  const acquirer = deps.bank.of(given.payment.account_id);
  const request = cardRequestOf(deps, given, context);
  return given.payment.transaction_type === "PAYMENT" ? acquirer.sale(request) : acquirer.authorize(request);
}
