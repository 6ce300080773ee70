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
import { answerRefusal, answerKnownPayment, type ReadState } from "./answer-known-payment.ts";
import { describePayment, refuseInstallments, type DescribePaymentDeps } from "./describe-payment.ts";

export type AdmitPaymentDeps = DescribePaymentDeps &
  EnforceRulesDeps & {
    cards: CardOpener;
    bins: CurrentBins["table"];
    findRoute: FindRoute;
  };

/** Whether a payment may go on to its claim: with its row and its card, or with the answer that it gets instead. */
export type Admission =
  | {
      kind: "admitted";
      row: ClaimRow;
      card: Card;
      /** Accounts that it may be sent to where the one of the row certainly got nothing of it. */
      otherAccounts: readonly (string | null)[];
    }
  | { kind: "answered"; reply: CommandReply<ApiPaymentResponse> };

type Message = Incoming<PreAuthorizePayment | SellPayment>;

/**
 * The steps before any payment's claim, with 3-D Secure or without: opens the card, looks up its BIN, refuses installments
 * its programme does not have, finds the account that it goes to, and asks the merchant's rules. Nothing has been sent to
 * the bank.
 */
export async function admitPayment(
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
): Promise<Admission> {
  const card = openCard(deps, message);
  if (!card) return answered({ outcome: "problem", code: "internal_error" });
  const bins = deps.bins();
  if (!bins) return answered({ outcome: "not_started" });
  const bin = findBin(bins, card.reveal().pan);
  const row = describePayment(deps, message, transactionType, card, bin, further);
  const refusal = refuseInstallments(row, bin);
  if (refusal) return answered(await answerRefusal(deps, message, row, refusal));
  const route = deps.findRoute(row.merchant_id, routed(row));
  if (!route) return answered({ outcome: "not_started" });
  const [account, ...otherAccounts] = route;
  if (account === undefined) return answered({ outcome: "problem", code: "no_acquirer_account" });
  row.account_id = account;
  const rejected = await enforceRules(deps, message, row);
  if (rejected === "known") return answered(await answerKnownPayment(deps, message, row, read));
  return rejected ? answered(rejected) : { kind: "admitted", row, card, otherAccounts };
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

function answered(reply: CommandReply<ApiPaymentResponse>): Admission {
  return { kind: "answered", reply };
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
