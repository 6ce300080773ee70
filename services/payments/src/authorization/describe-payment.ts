import { createHmac, randomUUID } from "node:crypto";
import {
  currencyExponent,
  maskPan,
  type Card,
  type CommandReply,
  type PreAuthorizePayment,
  type SellPayment,
} from "@holdfast/contracts";
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
  { context: { merchant, idempotency }, payload, traceparent }: Incoming<PreAuthorizePayment | SellPayment>,
  transactionType: "PRE_AUTHORIZATION" | "PAYMENT",
  card: Card,
  /** Fields of the request beside a sale's, for its fingerprint. */
  further: readonly string[] = [],
): ClaimRow {
  const { pan, expiryMonth, expiryYear } = card.reveal();
  const bin = findBin(bins, pan);
  const { installmentCount = 1, loyaltyCode = bin?.loyaltyCode } = payload as Partial<SellPayment>;
  const panFingerprint = createHmac("sha256", fingerprintKey).update(pan).digest();
  const amountMinor = BigInt(payload.amountMinor);
  const exponent = currencyExponent(payload.currency) ?? 0;
  return {
    payment_id: payload.paymentId,
    merchant_id: merchant.merchantId,
    transaction_type: transactionType,
    lease_token: randomUUID(),
    order_id: payload.orderId,
    customer_id: payload.customerId ?? null,
    amount_minor: amountMinor,
    currency: payload.currency,
    currency_exponent: exponent,
    installment_count: installmentCount,
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
    loyalty_code: loyaltyCode ?? null,
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
          installmentCount,
          loyaltyCode ?? null,
          ...further,
        ])
      : null,
  };
}

/** A card whose programme is not known is paid off at once. */
export function refuseInstallments(
  { bins }: Pick<DescribePaymentDeps, "bins">,
  { installment_count }: Pick<ClaimRow, "installment_count">,
  card: Card,
): Extract<CommandReply<never>, { outcome: "problem" }> | undefined {
  const installmentsMax = findBin(bins, card.reveal().pan)?.installmentsMax ?? 1;
  if (installment_count <= installmentsMax) return undefined;
  const allowed = Array.from({ length: installmentsMax }, (_, index) => index + 1);
  return { outcome: "problem", code: "installments_not_allowed", extra: { allowed } };
}
