import { cardBin } from "../cards.ts";
import { sumOf } from "../fees.ts";
import { itemsOf, type Item, type Payment } from "../payments.ts";
import { Decimal, UNITS_PER_MINOR } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/json.ts";
import { wallTime } from "../wire/wall-time.ts";
import type { Desk } from "./call.ts";

/** The fields of the signature of an answer about a payment, in their order. */
export const paymentSigns = ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price"];

/** The name of the bank's connection, as reports have it. */
export const CONNECTOR = "Simulator POS";

/** The fields of an answer about a payment (iyzico protocol, answer of a payment). */
export function paymentAnswer(desk: Desk, payment: Payment): AnswerFields {
  const { line, threeDs } = payment;
  return {
    ...amountFields(payment),
    paymentId: line.paymentId,
    fraudStatus: payment.fraudStatus,
    ...cardFields(line.pan),
    basketId: line.basketId === "" ? undefined : line.basketId,
    currency: line.currency,
    authCode: line.authCode,
    hostReference: line.hostReference,
    phase: payment.phase,
    mdStatus: threeDs ? Number(threeDs.mdStatus ?? 0) : undefined,
    itemTransactions: itemFields(desk, payment),
  };
}

/** The amounts of a payment, of its installments and of its commissions. */
export function amountFields(payment: Payment): AnswerFields {
  const { priceMinor, installment } = payment.line.payment;
  const items = itemsOf(payment);
  return {
    price: Decimal.ofMinor(BigInt(priceMinor)),
    paidPrice: Decimal.ofMinor(payment.paidMinor),
    installment,
    ...merchantCommission(BigInt(priceMinor), payment.paidMinor),
    iyziCommissionRateAmount: Decimal.ofUnits(sumOf(items.map(({ rateUnits }) => rateUnits))),
    iyziCommissionFee: Decimal.ofUnits(sumOf(items.map(({ feeUnits }) => feeUnits))),
  };
}

/** The fields that follow from the card's number. */
export function cardFields(pan: string): AnswerFields {
  const { cardType, cardAssociation, cardFamily } = cardBin(pan);
  return {
    cardType,
    cardAssociation,
    cardFamily,
    binNumber: pan.slice(0, 6),
    lastFourDigits: pan.slice(-4),
  };
}

/** The items of a payment; `more` adds the further fields of an inquiry. */
export function itemFields(
  { bank }: Desk,
  payment: Payment,
  more: (item: Item) => AnswerFields = () => ({}),
): AnswerFields[] {
  const { currency, payment: facts } = payment.line;
  const resolvedMs = Date.parse(facts.createdAt) + DAY_MS;
  const blockageResolvedDate = wallTime(bank.clock.wall(resolvedMs));
  return itemsOf(payment).map((item) => {
    const amounts = {
      paidPrice: Decimal.ofMinor(item.paidMinor),
      iyziCommissionRateAmount: Decimal.ofUnits(item.rateUnits),
      iyziCommissionFee: Decimal.ofUnits(item.feeUnits),
      blockageRateAmountMerchant: ZERO,
      blockageRateAmountSubMerchant: ZERO,
      subMerchantPayoutAmount: ZERO,
      merchantPayoutAmount: payoutOf(item),
    };
    return {
      itemId: item.itemId,
      paymentTransactionId: item.paymentTransactionId,
      transactionStatus: transactionStatus(payment),
      price: Decimal.ofMinor(item.priceMinor),
      ...merchantCommission(item.priceMinor, item.paidMinor),
      ...amounts,
      blockageRate: ZERO,
      blockageResolvedDate,
      subMerchantPrice: ZERO,
      subMerchantPayoutRate: ZERO,
      convertedPayout: { ...amounts, iyziConversionRate: ZERO, iyziConversionRateAmount: ZERO, currency },
      ...more(item),
    };
  });
}

export function payoutOf({ paidMinor, rateUnits, feeUnits }: Item): Decimal {
  return Decimal.ofMinor(paidMinor).plusUnits(-rateUnits - feeUnits);
}

/** -1 refused, 0 in review, 2 approved; 1, awaiting the merchant's approval, exists for marketplaces only. */
export function transactionStatus({ line, fraudStatus }: Payment): number {
  if (fraudStatus !== 1) return fraudStatus;
  return line.outcome === "approved" ? 2 : -1;
}

/** The surcharge over the basket's price, as an amount and in hundredths of the price. */
function merchantCommission(priceMinor: bigint, paidMinor: bigint): AnswerFields {
  const over = paidMinor - priceMinor;
  const rate = priceMinor === 0n ? 0n : (over * 100n * 100n * UNITS_PER_MINOR) / priceMinor;
  return {
    merchantCommissionRate: Decimal.ofUnits(rate),
    merchantCommissionRateAmount: Decimal.ofMinor(over),
  };
}

const ZERO = Decimal.ofUnits(0n);
const DAY_MS = 86_400_000;
