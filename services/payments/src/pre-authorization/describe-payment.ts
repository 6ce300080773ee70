import { createHmac, randomUUID } from "node:crypto";
import { currencyExponent, maskPan, type Card, type PreAuthorizePayment } from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { findBin, type BinTable } from "../bin/bin-table.ts";
import { commissionMinor } from "../payment/commission.ts";
import type { ClaimRow } from "../payment/payment-statements.ts";

export type DescribePaymentDeps = {
  bins: BinTable;
  /** Keys the fingerprint of the card number and of the request. */
  fingerprintKey: Buffer;
  /** ISO 3166-1 alpha-2; cards issued there are DOM. */
  homeCountry: string;
};

/** The payment's row as it is to be claimed, under a new lease. What it takes from the card may be kept. */
export function describePayment(
  { bins, fingerprintKey, homeCountry }: DescribePaymentDeps,
  { context: { merchant, idempotency }, payload, traceparent }: Incoming<PreAuthorizePayment>,
  card: Card,
): ClaimRow {
  const { pan, expiryMonth, expiryYear } = card.reveal();
  const bin = findBin(bins, pan);
  const panFingerprint = createHmac("sha256", fingerprintKey).update(pan).digest();
  const amountMinor = BigInt(payload.amountMinor);
  const exponent = currencyExponent(payload.currency) ?? 0;
  return {
    payment_id: payload.paymentId,
    merchant_id: merchant.merchantId,
    transaction_type: "PRE_AUTHORIZATION",
    lease_token: randomUUID(),
    order_id: payload.orderId,
    customer_id: payload.customerId ?? null,
    amount_minor: amountMinor,
    currency: payload.currency,
    currency_exponent: exponent,
    installment_count: 1,
    commission_minor: commissionMinor(amountMinor, payload.currency, exponent, merchant.commission),
    request_ip: payload.requestIp,
    request_port: payload.requestPort,
    card_holder_name: payload.cardHolderName,
    masked_pan: maskPan(pan),
    pan_fingerprint: panFingerprint,
    dom_int: bin ? (bin.country === homeCountry ? "DOM" : "INT") : null,
    card_scheme: bin?.cardScheme ?? null,
    card_type: bin?.cardType ?? null,
    card_sub_type: bin?.cardSubType ?? null,
    loyalty_code: bin?.loyaltyCode ?? null,
    traceparent: traceparent ?? null,
    idempotency_key: idempotency?.key ?? null,
    idempotency_scope: idempotency?.scope ?? null,
    idempotency_fingerprint: idempotency
      ? fingerprintRequest(fingerprintKey, [
          payload.orderId,
          payload.amountMinor,
          payload.currency,
          payload.cardHolderName,
          panFingerprint.toString("base64"),
          expiryMonth,
          expiryYear,
          payload.requestIp,
          payload.requestPort,
          payload.customerId ?? null,
        ])
      : null,
  };
}
