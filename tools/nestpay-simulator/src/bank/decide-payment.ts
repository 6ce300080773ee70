import { isLuhnValid } from "@holdfast/bank-simulator/core";

import { hasExpired } from "../bank-time.ts";
import type { Merchant } from "../merchants.ts";
import type { Rules } from "../modes.ts";
import { LIRA } from "../money.ts";
import type { PaymentCard, PaymentRequest } from "./money-request.ts";
import { isReversing, wasApproved, type Order } from "./order.ts";
import { approved, declined, refused, type RefusalCode, type Verdict } from "./refusals.ts";

type Circumstances = {
  nowMs: number;
  /** The time that the bank takes to reverse a call that its host did not answer. */
  reversalMs: number;
  rules: Rules;
  options: Merchant["options"];
};

/** Decides a sale or a hold (Nestpay protocol, rules of life 1 and 7). `order` is what stands under the order id. */
export function decidePayment(
  order: Order | undefined,
  request: PaymentRequest,
  circumstances: Circumstances,
): Verdict {
  const { nowMs, reversalMs, rules } = circumstances;
  const rows = order?.rows ?? [];
  if (rows.some((row) => isReversing(row, nowMs, reversalMs))) return refused(2016);
  const done = rows.filter((row) => row.kind === "payment" && wasApproved(row));
  if (done.some(({ status }) => status !== "voided")) return refused(2507);
  if (done.length > 0 && !rules.voidedFreesOrderId) return refused(2302);
  const fault = faultOfTerms(request, circumstances) ?? faultOfCard(request.card, circumstances);
  if (fault) return refused(fault);
  return request.card.kind === "pan" && request.card.cvv === DECLINED_CVV ? declined("82") : approved;
}

/** The CVV that the issuer declines. */
const DECLINED_CVV = "082";

function faultOfTerms(
  { amountMinor, currency, installments, namesOne }: PaymentRequest,
  { options, rules }: Circumstances,
): RefusalCode | undefined {
  if (amountMinor < 0n) return 1024;
  if (amountMinor === 0n) return 2009;
  if (!options.currencies.includes(currency)) return 1010;
  if (installments === 1) return namesOne && rules.installmentOneRefused ? 2603 : undefined;
  if (currency !== LIRA) return 2124;
  if (options.installmentsMax === 0) return 2204;
  return installments > options.installmentsMax ? 2603 : undefined;
}

/** The card of a 3-D Secure return has been checked with its session. */
function faultOfCard(card: PaymentCard, { nowMs, options }: Circumstances): RefusalCode | undefined {
  if (card.kind === "md") return undefined;
  if (card.pan === "") return 2015;
  if (!/^\d{13,19}$/.test(card.pan) || !isLuhnValid(card.pan)) return 2012;
  if (hasExpired(card.expiryMonth, card.expiryYear, nowMs)) return 2010;
  if (card.cvv === "") return options.cvvRequired ? 2208 : undefined;
  return /^\d{3,4}$/.test(card.cvv) ? undefined : 2515;
}
