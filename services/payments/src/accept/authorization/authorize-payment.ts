/**
 * A pre-authorization or a sale in three phases, each one transaction or one external call and never both:
 * claim, authorize, record. Before them the merchant rules may reject it without asking the bank. Another
 * process can continue from the state committed after each phase, and no phase is ever repeated blindly: a
 * copy of the message is answered from the first one's row, and an unknown outcome is left to recovery and
 * never called a decline.
 */
import type { AcquirerOutcome } from "@holdfast/acquirer";
import { failpoint } from "@holdfast/service-runtime";
import type { ApiPaymentResponse, CommandReply, PreAuthorizePayment, SellPayment } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import { DEADLINE_PASSED, decideAuthorization } from "../../payment/authorization-outcome.ts";
import type { Join } from "../../payment/payment-writes.ts";
import { withFailover } from "../../bank/ledger/fail-over.ts";
import type { Bank } from "../../bank/calls/bank.ts";
import { latestStart } from "../../bank/calls/take-merchant-permit.ts";
import type { Admission, Admitted, OfCheckout } from "./admit-payment.ts";
import { answerKnownPayment } from "./answer-known-payment.ts";
import { cardRequestOf, isBuyerThere, type CardPayment } from "./card-request.ts";
import { claimPayment } from "./claim-payment.ts";
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
  { row, card, details, route }: Admitted,
  join: Join | undefined,
): Promise<Reply> {
  const { context } = message;
  const keyed = context.idempotency !== undefined;
  const claimed = await claimPayment(deps, row, "AUTHORIZING", join);
  if (claimed === "taken") return await answerKnownPayment(deps, message, row);
  if ("outcome" in claimed) return claimed;
  if (deps.now() > context.deadlineAt) {
    return await concludeAuthorization(deps, claimed, DEADLINE_PASSED, { keyed });
  }

  const { deadlineAt } = context;
  const retryUntil = isBuyerThere(details) ? latestStart(deps.bank, deadlineAt) : undefined;
  const { outcome, declined } = await withFailover(deps, claimed, { route, deadlineAt, retryUntil }, () =>
    authorize(deps, message, { payment: claimed, card, details }),
  );
  const decision = decideAuthorization(outcome, declined);
  await failpoint("payments.after_acquirer");
  return await concludeAuthorization(deps, claimed, decision, { keyed });
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
