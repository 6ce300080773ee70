import type { Bank, Closing, Movement } from "../bank/bank.ts";
import { commissions } from "../bank/commission.ts";
import type { Payment, PaymentItem } from "../bank/payment.ts";
import { UNITS_PER_MINOR } from "../wire/decimal.ts";

/** One basket item in the payout of a day (iyzico protocol, settlement files). Amounts are minor units. */
export type SettlementLine = {
  at: string;
  kind: "PAYMENT" | "REFUND";
  isAfterSettlement: boolean;
  payment: Payment;
  item: PaymentItem;
  /** The conversationId of the call: the payment's or the refund's. */
  conversationId: string;
  /** The paid or refunded amount, never negative. */
  grossMinor: bigint;
  rateMinor: bigint;
  feeMinor: bigint;
  /** The merchant's amount: negative for a refund. */
  netMinor: bigint;
};

/** The lines of one merchant and day: captured and sold items that were not cancelled, and refunds. */
export function settlementLines(bank: Bank, closing: Closing, merchantId: string): SettlementLine[] {
  return bank
    .movementsOf(closing)
    .filter((movement) => movement.merchantId === merchantId)
    .flatMap((movement) => linesOf(movement));
}

function linesOf(movement: Movement): SettlementLine[] {
  const { operation } = movement;
  switch (operation) {
    case "sale":
    case "capture":
      return movement.about.cancel ? [] : paymentLines(movement);
    case "refund":
      return refundLines(movement);
    case "authorize":
    case "void":
      return [];
    default:
      return operation satisfies never;
  }
}

function paymentLines({ about, at }: Movement): SettlementLine[] {
  const fees = commissions(about.items.map((item) => item.paidPriceMinor));
  return about.items.map((item, index) => {
    const grossMinor = item.paidPriceMinor;
    const rateMinor = roundedMinor(fees[index]?.rateUnits ?? 0n);
    const feeMinor = roundedMinor(fees[index]?.feeUnits ?? 0n);
    return {
      at,
      kind: "PAYMENT",
      isAfterSettlement: false,
      payment: about,
      item,
      conversationId: about.conversationId,
      grossMinor,
      rateMinor,
      feeMinor,
      netMinor: grossMinor - rateMinor - feeMinor,
    };
  });
}

/** A refund is deducted whole: the commission stays with iyzico. */
function refundLines({ about, at, conversationId, refunds, isAfterSettlement }: Movement): SettlementLine[] {
  return (refunds ?? []).flatMap(({ paymentTransactionId, amountMinor }) => {
    const item = about.items.find((each) => each.paymentTransactionId === paymentTransactionId);
    if (!item) return [];
    const grossMinor = BigInt(amountMinor);
    return {
      at,
      kind: "REFUND" as const,
      isAfterSettlement: isAfterSettlement ?? false,
      payment: about,
      item,
      conversationId,
      grossMinor,
      rateMinor: 0n,
      feeMinor: 0n,
      netMinor: -grossMinor,
    };
  });
}

/** Half a minor unit is rounded up. */
function roundedMinor(units: bigint): bigint {
  return (units + UNITS_PER_MINOR / 2n) / UNITS_PER_MINOR;
}
