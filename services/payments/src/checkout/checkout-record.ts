import { amountToJson, isLive, type CheckoutPage, type CheckoutRecord } from "@holdfast/contracts";
import { paymentRecord } from "../payment/payment-record.ts";
import type { FoundCheckout } from "./checkout-queries.ts";

/** The checkout as its merchant sees it; the gateway adds its page's address. */
export function checkoutRecord({ row, payment }: Pick<FoundCheckout, "row" | "payment">): CheckoutRecord {
  return {
    checkoutId: row.checkout_id,
    livemode: isLive(row.merchant_id),
    status: row.state,
    orderId: row.order_id,
    amount: amountToJson(row.amount_minor, row.currency_exponent),
    currency: row.currency,
    ...(row.customer_id !== null && { customerId: row.customer_id }),
    transactionType: row.transaction_type,
    installmentOptions: row.installment_options,
    threeDs: row.three_ds,
    successUrl: row.success_url,
    failureUrl: row.failure_url,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    ...(row.closed_at !== null && { closedAt: row.closed_at.toISOString() }),
    ...(payment && { payment: paymentRecord(payment) }),
  };
}

/** The checkout as its page needs it. */
export function checkoutPage({ row, payment }: FoundCheckout, attemptsMax: number): CheckoutPage {
  return {
    checkoutId: row.checkout_id,
    merchantId: row.merchant_id,
    status: row.state,
    orderId: row.order_id,
    amountMinor: row.amount_minor.toString(),
    currency: row.currency,
    installmentOptions: row.installment_options,
    successUrl: row.success_url,
    failureUrl: row.failure_url,
    expiresAt: row.expires_at.toISOString(),
    attemptsLeft: Math.max(0, attemptsMax - row.attempts),
    ...(payment && { payment: paymentRecord(payment) }),
  };
}
