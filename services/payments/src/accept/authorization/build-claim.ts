import { randomUUID } from "node:crypto";
import {
  currencyExponent as exponentOf,
  maskPan,
  type Card,
  type CommandReply,
  type PreAuthorizePayment,
  type SellPayment,
} from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { KeyRing } from "@holdfast/service-runtime";
import { domIntOf, type BinData } from "../bins/bin-table.ts";
import type { CurrentBins } from "../bins/current-bins.ts";
import { installmentCounts } from "../bins/look-up-bin.ts";
import { panFingerprint, underEachKey } from "../fingerprint/keyed-hash.ts";
import { commissionMinor } from "../../payment/commission.ts";
import type { ClaimRow, UnroutedClaim } from "../../payment/payment-statements.ts";
import { merchantColumns } from "../../payment/payment-table.ts";

export type BuildClaimDeps = {
  bins: CurrentBins["table"];
  /** Keys of the fingerprint of the card number and of the request. */
  fingerprintKeys: KeyRing;
  /** ISO 3166-1 alpha-2; cards issued there are DOM. */
  homeCountry: string;
};

/**
 * The payment's row for the claim, under a new lease and without its account. It has only card data that may
 * be stored.
 */
export function buildClaim(
  { fingerprintKeys, homeCountry }: BuildClaimDeps,
  { context: { merchant, idempotency }, payload, traceparent }: Incoming<PreAuthorizePayment | SellPayment>,
  transactionType: "PRE_AUTHORIZATION" | "PAYMENT",
  card: Card,
  bin: BinData | undefined,
  /** Fields of the request that a sale does not have, for its fingerprint. */
  further: readonly string[] = [],
): UnroutedClaim {
  const { pan } = card.reveal();
  const { installmentCount = 1, loyaltyCode, installmentTotalMinor } = payload as Partial<SellPayment>;
  const number = underEachKey(fingerprintKeys, (key) => panFingerprint(key, pan));
  const request = idempotency
    ? underEachKey(fingerprintKeys, (key) =>
        fingerprintRequest(key, [...fieldsOf(payload, card, panFingerprint(key, pan)), ...further]),
      )
    : undefined;
  const amountMinor = BigInt(installmentTotalMinor ?? payload.amountMinor);
  const currencyExponent = exponentOf(payload.currency) ?? 0;
  const cardType = bin?.cardType ?? null;
  const domInt = bin ? domIntOf(bin, homeCountry) : null;
  return {
    payment_id: payload.paymentId,
    merchant_id: merchant.merchantId,
    transaction_type: transactionType,
    lease_token: randomUUID(),
    order_id: payload.orderId,
    ...merchantColumns(payload),
    amount_minor: amountMinor,
    order_amount_minor: installmentTotalMinor === undefined ? null : BigInt(payload.amountMinor),
    currency: payload.currency,
    currency_exponent: currencyExponent,
    installment_count: installmentCount,
    commission_minor: commissionMinor(
      { amountMinor, currency: payload.currency, currencyExponent, cardType, domInt, installmentCount },
      merchant.commission,
    ),
    refunds_commission: merchant.commission?.refundsCommission ?? true,
    request_ip: payload.requestIp,
    request_port: payload.requestPort,
    card_holder_name: payload.cardHolderName,
    masked_pan: maskPan(pan),
    pan_fingerprint: number.hash,
    pan_fingerprint_key_id: fingerprintKeys.activeId,
    older_pan_fingerprints: number.older,
    dom_int: domInt,
    card_scheme: bin?.cardScheme ?? null,
    card_type: cardType,
    card_sub_type: bin?.cardSubType ?? null,
    loyalty_code: loyaltyCode ?? bin?.loyaltyCode ?? null,
    traceparent: traceparent ?? null,
    credential_issued_by: merchant.credentialIssuedBy ?? null,
    claims_order: payload.allowConcurrentAttempt ? null : true,
    idempotency_key: idempotency?.key ?? null,
    idempotency_scope: idempotency?.scope ?? null,
    idempotency_fingerprint: request?.hash ?? null,
    older_idempotency_fingerprints: request?.older ?? [],
  };
}

/**
 * The fields that have to be equal in a repetition: the card number by its keyed hash, the cvv not at all.
 */
function fieldsOf(
  payload: PreAuthorizePayment | SellPayment,
  card: Card,
  fingerprint: Buffer,
): (string | number | null)[] {
  const { expiryMonth, expiryYear } = card.reveal();
  const { installmentCount = 1, loyaltyCode, installmentTotalMinor } = payload as Partial<SellPayment>;
  return [
    payload.orderId,
    payload.amountMinor,
    payload.currency,
    payload.cardHolderName,
    fingerprint.toString("base64"),
    expiryMonth,
    expiryYear,
    payload.requestIp,
    payload.requestPort,
    payload.customerId ?? null,
    installmentCount,
    // The merchant's own code, not the BIN table's: that may have been replaced since.
    loyaltyCode ?? null,
    // Without this field the fingerprint covers the other fields alone.
    ...(payload.allowConcurrentAttempt ? ["allowConcurrentAttempt"] : []),
    ...(installmentTotalMinor === undefined ? [] : ["installmentTotal", installmentTotalMinor]),
  ];
}

/**
 * Refuses a number of installments or a loyalty programme that the card does not have. A card without a known
 * programme is charged in full, and a programme's code would be a false record.
 */
export function refuseProgramme(
  { installment_count, loyalty_code }: Pick<ClaimRow, "installment_count" | "loyalty_code">,
  { installmentsMax, loyaltyCode }: Pick<BinData, "installmentsMax" | "loyaltyCode"> = { installmentsMax: 1 },
): Extract<CommandReply<never>, { outcome: "problem" }> | undefined {
  if (loyalty_code !== null && loyalty_code !== loyaltyCode) {
    const allowed = loyaltyCode === undefined ? [] : [loyaltyCode];
    return { outcome: "problem", code: "loyalty_not_allowed", extra: { allowed } };
  }
  if (installment_count <= installmentsMax) return undefined;
  const allowed = installmentCounts(installmentsMax);
  return { outcome: "problem", code: "installments_not_allowed", extra: { allowed } };
}
