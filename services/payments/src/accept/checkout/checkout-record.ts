import {
  amountToJson,
  isLive,
  type CheckoutPage,
  type CheckoutRecord,
  type WebhookCheckout,
} from "@holdfast/contracts";
import { paymentRecord } from "../../payment/payment-record.ts";
import type { CheckoutRow, FoundCheckout } from "./checkout-queries.ts";

/** The checkout as its merchant sees it; the gateway adds its page's address. */
export function checkoutRecord({ row, payment, ...found }: FoundCheckout): CheckoutRecord {
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
    ...(row.installment_prices && { installmentPrices: true }),
    threeDs: row.three_ds,
    ...returnUrlsOf(row),
    ...(row.payment_link_id !== null && { paymentLinkId: row.payment_link_id }),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    ...(row.closed_at !== null && { closedAt: row.closed_at.toISOString() }),
    ...installmentsOf({ row, payment, ...found }),
    ...(payment && { payment: paymentRecord(payment) }),
  };
}

/** The exact bytes of a webhook about the checkout, which has ended. */
export function checkoutWebhookBody(found: FoundCheckout): Buffer {
  const { status, closedAt, successUrl: _s, failureUrl: _f, ...record } = checkoutRecord(found);
  if (status === "OPEN" || closedAt === undefined) throw new Error("an open checkout has not ended");
  const { threeDs: _t, installmentOptions: _o, installmentPrices: _p, ...sent } = record;
  return Buffer.from(JSON.stringify({ ...sent, status, closedAt } satisfies WebhookCheckout));
}

function returnUrlsOf(row: CheckoutRow): Pick<CheckoutRecord, "successUrl" | "failureUrl"> {
  return {
    ...(row.success_url !== null && { successUrl: row.success_url }),
    ...(row.failure_url !== null && { failureUrl: row.failure_url }),
  };
}

/** The buyer's choice for the latest payment, as the page showed it then. */
function installmentsOf({ row, payment, plan }: FoundCheckout): Pick<CheckoutRecord, "installments"> {
  if (!payment || !plan) return {};
  const amount = (minor: bigint) => amountToJson(minor, row.currency_exponent);
  const { firstMinor, furtherMinor } = plan;
  return {
    installments: {
      count: payment.installment_count,
      firstAmount: amount(firstMinor),
      furtherAmount: amount(furtherMinor),
    },
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
    ...(row.installment_prices && { installmentPrices: true }),
    ...returnUrlsOf(row),
    ...(row.buyer_text !== null && { description: row.buyer_text }),
    expiresAt: row.expires_at.toISOString(),
    attemptsLeft: Math.max(0, attemptsMax - row.attempts),
    ...(payment && { payment: paymentRecord(payment) }),
  };
}
