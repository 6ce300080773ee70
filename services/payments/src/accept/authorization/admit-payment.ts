import type { CardOpener } from "@holdfast/sealing";
import {
  amountToJson,
  isLive,
  type ApiPaymentResponse,
  type Card,
  type CommandReply,
  type OrderDetails,
  type PreAuthorizePayment,
  type SellPayment,
} from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { Bank } from "../../bank/calls/bank.ts";
import type { RouteStep } from "../../bank/account/decide-route.ts";
import type { FindRoute, PricedPayment, PricedStep } from "../../bank/account/routing.ts";
import { findBin } from "../bins/bin-table.ts";
import type { MerchantRules } from "../rules/enforce-rules.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { ClaimRow, UnroutedClaim } from "../../payment/payment-statements.ts";
import type { Join } from "../../payment/payment-writes.ts";
import { takeMerchantPermit, withCallBudget } from "../../bank/calls/take-merchant-permit.ts";
import { answerRefusal, answerKnownPayment, type ReadState } from "./answer-known-payment.ts";
import { basketOf, customerOf } from "./card-request.ts";
import { buildClaim, refuseProgramme, type BuildClaimDeps } from "./build-claim.ts";

type AdmissionDeps = {
  db: Kysely<PaymentsDatabase>;
  cards: CardOpener;
  claims: BuildClaimDeps;
  findRoute: FindRoute;
  bank: Bank;
  rules: MerchantRules;
  events: Pick<BusinessEvents, "cardNotOpened">;
  now: () => number;
};

/** A payment that may continue to its claim. */
export type Admitted = {
  row: ClaimRow;
  card: Card;
  details: OrderDetails;
  /** The account of the row, and behind it those that may be called instead: see `withFailover`. */
  route: readonly RouteStep[];
};

type Message = Incoming<PreAuthorizePayment | SellPayment>;

/** A checkout's additions to its payment: its details of the buyer, and what it writes with the payment's first row. */
export type OfCheckout = { ordered?: OrderDetails; join?: Join };

type Terms = OfCheckout & {
  transactionType: "PRE_AUTHORIZATION" | "PAYMENT";
  /** Fields of the request that a sale does not have, for its fingerprint. */
  further?: readonly string[];
  /** The view of a payment that exists already. */
  read?: ReadState;
};

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(deps: AdmissionDeps) {
  return {
    admit: <Reply extends CommandReply<ApiPaymentResponse>>(
      message: Message,
      terms: Terms,
      proceed: (admitted: Admitted) => Promise<Reply>,
    ) => admitPayment(deps, message, terms, proceed),
  };
}

/**
 * The steps before a payment's claim, with 3-D Secure or without. It opens the card and the buyer's details,
 * looks up the card's BIN, and refuses installments and programmes that the card does not have. It finds the
 * account, and refuses a total that differs from the account's price and a payment without fields that the
 * account needs. It waits for one of the merchant's permits at the account, takes a call from the account's
 * budget, and enforces the merchant rules. Nothing has been sent to the bank yet.
 * @param proceed continues with an admitted payment on this connection. Every other payment is answered here.
 */
async function admitPayment<Reply extends CommandReply<ApiPaymentResponse>>(
  deps: AdmissionDeps,
  message: Message,
  { transactionType, further = [], ordered, join, read }: Terms,
  proceed: (admitted: Admitted) => Promise<Reply>,
): Promise<Reply | CommandReply<ApiPaymentResponse>> {
  const opened = open(deps, message);
  if (!opened) return { outcome: "problem", code: "internal_error" };
  const { card } = opened;
  const details = { ...ordered, ...opened.details };
  const bins = deps.claims.bins();
  if (!bins) return { outcome: "not_started" };
  const bin = findBin(bins, card.reveal().pan);
  // Without such details the fingerprint covers the other fields alone.
  const said = opened.details ? [JSON.stringify(opened.details)] : [];
  const claim = buildClaim(deps.claims, message, transactionType, card, bin, [...further, ...said]);
  const refusal = refuseProgramme(claim, bin);
  if (refusal) return await answerRefusal(deps, message, claim, { reply: refusal, read });
  const found = deps.findRoute(claim.merchant_id, routed(claim));
  if (!found) return { outcome: "not_started" };
  const [first, ...next] = found;
  if (!first) return { outcome: "problem", code: "no_acquirer_account" };
  const hasTotal = ({ totalMinor }: PricedStep) =>
    claim.order_amount_minor === null || totalMinor === claim.amount_minor;
  if (!hasTotal(first))
    return await answerRefusal(deps, message, claim, { reply: otherTotal(claim, first), read });
  const { accountId } = first;
  const missing = missingAt(deps, claim, details);
  const field = missing(accountId);
  if (field !== undefined) {
    const lacking = { outcome: "problem", code: "bank_requires_field", extra: { field } } as const;
    return await answerRefusal(deps, message, claim, { reply: lacking, read });
  }
  const others = next.filter((other) => hasTotal(other) && missing(other.accountId) === undefined);
  const route = [first, ...others];
  const row = { ...claim, account_id: accountId };
  const { deadlineAt } = message.context;
  using permit = await takeMerchantPermit(deps, { accountId, merchantId: row.merchant_id, deadlineAt });
  if (!permit) return { outcome: "not_started" };
  const calls = deps.bank.of(accountId).capabilities.callsPerPayment ?? 1;
  return await withCallBudget<ApiPaymentResponse>(deps, { accountId, calls }, async () => {
    const rejected = await deps.rules.enforce(message, row, join);
    if (rejected === "known") return await answerKnownPayment(deps, message, row, read);
    return rejected ?? (await proceed({ row, card, details, route }));
  });
}

/** Finds a field that an account needs, and neither the request nor the account's defaults have. */
function missingAt({ bank }: AdmissionDeps, row: UnroutedClaim, details: OrderDetails) {
  const request = { customer: customerOf(row, details), ...basketOf(details) };
  return (account: string) => bank.of(account).missingField?.(request);
}

function otherTotal({ currency_exponent }: UnroutedClaim, { totalMinor }: PricedStep) {
  const extra = { installmentTotal: amountToJson(totalMinor, currency_exponent) };
  return { outcome: "problem", code: "installment_total_mismatch", extra } as const;
}

function routed(row: UnroutedClaim): PricedPayment {
  return {
    livemode: isLive(row.merchant_id),
    currency: row.currency,
    domInt: row.dom_int,
    cardScheme: row.card_scheme,
    loyaltyCode: row.loyalty_code,
    installmentCount: row.installment_count,
    amountMinor: row.order_amount_minor ?? row.amount_minor,
  };
}

/**
 * Opens the sealed card and details. It fails if the gateway's keys are not ours, or if the message was
 * tampered with; nothing has been started then.
 */
function open(
  { cards, events }: AdmissionDeps,
  { context, payload }: Message,
): { card: Card; details: OrderDetails | undefined } | undefined {
  const binding = { paymentId: payload.paymentId, merchantId: context.merchant.merchantId };
  try {
    const details = payload.details && cards.openDetails(payload.details, binding);
    return { card: cards.open(payload.card, binding), details };
  } catch (error) {
    events.cardNotOpened({ payment_id: binding.paymentId, merchant_id: binding.merchantId }, error);
    return undefined;
  }
}
