import { amountToJson, isLive, type PaymentLinkPage, type PaymentLinkRecord } from "@holdfast/contracts";
import { linkStatus, type FoundLink } from "./payment-link-queries.ts";

/** The link as its merchant sees it; the gateway adds its address. One that is just being paid is still active. */
export function paymentLinkRecord(link: FoundLink): PaymentLinkRecord {
  const status = linkStatus(link);
  return {
    paymentLinkId: link.payment_link_id,
    livemode: isLive(link.merchant_id),
    status: status === "TAKEN" ? "ACTIVE" : status,
    orderId: link.order_id,
    description: link.description,
    amount: amountToJson(link.amount_minor, link.currency_exponent),
    currency: link.currency,
    installmentOptions: link.installment_options,
    threeDs: link.three_ds,
    ...(link.return_url !== null && { returnUrl: link.return_url }),
    use: link.single_use ? "SINGLE" : "MULTIPLE",
    createdAt: link.created_at.toISOString(),
    expiresAt: link.expires_at.toISOString(),
    ...(link.disabled_at !== null && { disabledAt: link.disabled_at.toISOString() }),
  };
}

/** The link as its page needs it. */
export function paymentLinkPage(link: FoundLink): PaymentLinkPage {
  return {
    paymentLinkId: link.payment_link_id,
    merchantId: link.merchant_id,
    status: linkStatus(link),
    description: link.description,
    amountMinor: link.amount_minor.toString(),
    currency: link.currency,
    expiresAt: link.expires_at.toISOString(),
  };
}
