import { cardBin } from "../bank/card-bins.ts";
import { commissions, sumOf } from "../bank/commission.ts";
import { phaseOf, type Payment, type PaymentItem } from "../bank/payment.ts";
import { istanbulTime } from "../control/istanbul-time.ts";
import { Decimal, UNITS_PER_MINOR } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/write-answer.ts";

/** The fields of the signature of an answer about a payment, in their order. */
export const paymentSigns = ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price"];

/** The fields of an answer about a payment (iyzico protocol, answer of a payment). */
export function paymentAnswer(payment: Payment): AnswerFields {
  const fees = commissionFields(payment);
  return {
    price: Decimal.ofMinor(payment.priceMinor),
    paidPrice: Decimal.ofMinor(payment.paidPriceMinor),
    installment: payment.installment,
    paymentId: payment.paymentId,
    fraudStatus: payment.fraudStatus,
    ...fees,
    ...cardFields(payment.pan),
    basketId: payment.basketId === "" ? undefined : payment.basketId,
    currency: payment.currency,
    authCode: payment.authCode,
    hostReference: payment.hostReference,
    phase: phaseOf(payment),
    mdStatus: payment.threeDs ? Number(payment.threeDs.mdStatus ?? 0) : undefined,
    itemTransactions: itemFields(payment),
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

export function commissionFields({ priceMinor, paidPriceMinor, items }: Payment): AnswerFields {
  const all = commissions(items.map((item) => item.paidPriceMinor));
  return {
    ...merchantCommission(priceMinor, paidPriceMinor),
    iyziCommissionRateAmount: Decimal.ofUnits(sumOf(all.map(({ rateUnits }) => rateUnits))),
    iyziCommissionFee: Decimal.ofUnits(sumOf(all.map(({ feeUnits }) => feeUnits))),
  };
}

/** The items of a payment; `more` adds the further fields of an inquiry. */
export function itemFields(payment: Payment, more: (item: PaymentItem) => AnswerFields = () => ({})) {
  const fees = commissions(payment.items.map((item) => item.paidPriceMinor));
  return payment.items.map((item, index): AnswerFields => {
    const { rateUnits, feeUnits } = fees[index] ?? { rateUnits: 0n, feeUnits: 0n };
    const paid = Decimal.ofMinor(item.paidPriceMinor);
    const payout = paid.plusUnits(-rateUnits - feeUnits);
    const amounts = {
      paidPrice: paid,
      iyziCommissionRateAmount: Decimal.ofUnits(rateUnits),
      iyziCommissionFee: Decimal.ofUnits(feeUnits),
      blockageRateAmountMerchant: ZERO,
      blockageRateAmountSubMerchant: ZERO,
    };
    return {
      itemId: item.itemId,
      paymentTransactionId: item.paymentTransactionId,
      transactionStatus: transactionStatus(payment),
      price: Decimal.ofMinor(item.priceMinor),
      ...merchantCommission(item.priceMinor, item.paidPriceMinor),
      ...amounts,
      blockageRate: ZERO,
      blockageResolvedDate: istanbulTime(Date.parse(payment.createdAt) + DAY_MS),
      subMerchantPrice: ZERO,
      subMerchantPayoutRate: ZERO,
      subMerchantPayoutAmount: ZERO,
      merchantPayoutAmount: payout,
      convertedPayout: {
        ...amounts,
        subMerchantPayoutAmount: ZERO,
        merchantPayoutAmount: payout,
        iyziConversionRate: ZERO,
        iyziConversionRateAmount: ZERO,
        currency: payment.currency,
      },
      ...more(item),
    };
  });
}

/** -1 refused, 0 in review, 2 approved; 1, awaiting the merchant's approval, exists for marketplaces only. */
export function transactionStatus({ state, fraudStatus }: Payment): number {
  if (fraudStatus !== 1) return fraudStatus;
  return state === "approved" ? 2 : -1;
}

/** The surcharge over the basket's price, as an amount and in hundredths of the price. */
function merchantCommission(priceMinor: bigint, paidPriceMinor: bigint): AnswerFields {
  const over = paidPriceMinor - priceMinor;
  const rate = priceMinor === 0n ? 0n : (over * 100n * 100n * UNITS_PER_MINOR) / priceMinor;
  return {
    merchantCommissionRate: Decimal.ofUnits(rate),
    merchantCommissionRateAmount: Decimal.ofMinor(over),
  };
}

const ZERO = Decimal.ofUnits(0n);
const DAY_MS = 86_400_000;
