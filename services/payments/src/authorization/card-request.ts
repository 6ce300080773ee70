import { orderIdOf, type CardRequest } from "@holdfast/acquirer";
import type { Card } from "@holdfast/contracts";
import type { ShownPayment } from "../payment/payment-record.ts";

/** The part that all card requests to the acquirer share. It expires when its caller no longer waits for the answer. */
export function cardRequestOf(
  { acquirerTimeoutMs, now }: { acquirerTimeoutMs: number; now: () => number },
  payment: ShownPayment,
  card: Card,
  { deadlineAt }: { deadlineAt: number },
): CardRequest {
  return {
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    expiresAt: new Date(Math.min(now() + acquirerTimeoutMs, deadlineAt)),
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    card: card.reveal(),
    cardHolderName: payment.card_holder_name,
    installmentCount: payment.installment_count,
  };
}
