import type { CardOpener } from "@holdfast/sealing";
import type {
  ApiPaymentResponse,
  Card,
  CommandReply,
  PreAuthorizePayment,
  SellPayment,
} from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { RoutedPayment } from "../acquirer-account/decide-route.ts";
import type { FindRoute } from "../acquirer-account/routing.ts";
import { findBin } from "../card-bins/bin-table.ts";
import type { CurrentBins } from "../card-bins/current-bins.ts";
import { enforceRules, type EnforceRulesDeps } from "../merchant-rules/enforce-rules.ts";
import type { ClaimRow } from "../payment/payment-statements.ts";
import { withConnection, type ConnectionDeps } from "../with-connection.ts";
import { answerRefusal, answerKnownPayment, type ReadState } from "./answer-known-payment.ts";
import { describePayment, refuseInstallments, type DescribePaymentDeps } from "./describe-payment.ts";

export type AdmitPaymentDeps = DescribePaymentDeps &
  EnforceRulesDeps &
  ConnectionDeps & {
    cards: CardOpener;
    bins: CurrentBins["table"];
    findRoute: FindRoute;
  };

/** A payment that may go on to its claim. */
export type Admitted = {
  row: ClaimRow;
  card: Card;
  /** Accounts that it may be sent to where the one of the row certainly got nothing of it. */
  otherAccounts: readonly (string | null)[];
};

type Message = Incoming<PreAuthorizePayment | SellPayment>;

/**
 * The steps before any payment's claim, with 3-D Secure or without: opens the card, looks up its BIN, refuses installments
 * its programme does not have, finds the account that it goes to, waits for one of the merchant's connections to that, and
 * asks the merchant's rules. Nothing has been sent to the bank.
 * @param proceed what follows for a payment that is admitted, on that connection. Every other gets its answer here.
 */
export async function admitPayment<Reply extends CommandReply<ApiPaymentResponse>>(
  deps: AdmitPaymentDeps,
  message: Message,
  {
    transactionType,
    further,
    read,
  }: {
    transactionType: "PRE_AUTHORIZATION" | "PAYMENT";
    /** Fields of the request that a sale does not have, for its fingerprint. */
    further?: readonly string[];
    /** How a payment that exists already is shown. */
    read?: ReadState;
  },
  proceed: (admitted: Admitted) => Promise<Reply>,
): Promise<Reply | CommandReply<ApiPaymentResponse>> {
  const card = openCard(deps, message);
  if (!card) return { outcome: "problem", code: "internal_error" };
  const bins = deps.bins();
  if (!bins) return { outcome: "not_started" };
  const bin = findBin(bins, card.reveal().pan);
  const row = describePayment(deps, message, transactionType, card, bin, further);
  const refusal = refuseInstallments(row, bin);
  if (refusal) return await answerRefusal(deps, message, row, refusal);
  const route = deps.findRoute(row.merchant_id, routed(row));
  if (!route) return { outcome: "not_started" };
  const [accountId, ...otherAccounts] = route;
  if (accountId === undefined) return { outcome: "problem", code: "no_acquirer_account" };
  row.account_id = accountId;
  const { deadlineAt } = message.context;
  const caller = { accountId, merchantId: row.merchant_id, deadlineAt };
  return await withConnection<ApiPaymentResponse>(deps, caller, async () => {
    const rejected = await enforceRules(deps, message, row);
    if (rejected === "known") return await answerKnownPayment(deps, message, row, read);
    return rejected ?? (await proceed({ row, card, otherAccounts }));
  });
}

function routed(row: ClaimRow): RoutedPayment {
  return {
    currency: row.currency,
    domInt: row.dom_int,
    cardScheme: row.card_scheme,
    loyaltyCode: row.loyalty_code,
    installmentCount: row.installment_count,
  };
}

/** Fails when the gateway's keys are not ours, or when the message was tampered with; nothing has been started. */
function openCard({ cards, events }: AdmitPaymentDeps, { context, payload }: Message): Card | undefined {
  const binding = { paymentId: payload.paymentId, merchantId: context.merchant.merchantId };
  try {
    return cards.open(payload.card, binding);
  } catch (error) {
    events.cardNotOpened({ payment_id: binding.paymentId, merchant_id: binding.merchantId }, error);
    return undefined;
  }
}
