import {
  currencyExponent,
  type CheckoutRecord,
  type CommandReply,
  type MessageContext,
  type OpenCheckout,
  type OrderDetails,
} from "@holdfast/contracts";
import { fingerprintRequest, type RequestIdentity } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { underEachKey } from "../fingerprint/keyed-hash.ts";
import { openCheckoutDetails, type CheckoutDetailsDeps } from "./checkout-details.ts";
import { findCheckout, insertCheckout } from "./checkout-queries.ts";
import { checkoutRecord } from "./checkout-record.ts";
import { withIdempotencyKey } from "./with-idempotency-key.ts";

export type OpenCheckoutDeps = CheckoutDetailsDeps & {
  db: Kysely<PaymentsDatabase>;
  /** Keys of the fingerprint of the request. */
  fingerprintKeys: KeyRing;
  /** The lifetime of a checkout whose merchant names none. */
  limits: { checkoutExpiresAfterMs: number };
};
type Reply = CommandReply<CheckoutRecord>;

/** Opens a checkout, with its Idempotency-Key and the key's answer in one transaction. */
export async function openCheckout(deps: OpenCheckoutDeps, message: Incoming<OpenCheckout>): Promise<Reply> {
  const { context, payload } = message;
  const { merchantId } = context.merchant;
  const details = openCheckoutDetails(deps, { ...payload, merchantId });
  if (details === "sealed") return { outcome: "problem", code: "internal_error" };
  const taking = { ...fingerprintOf(deps, payload, details), resourceId: payload.checkoutId };
  return await withIdempotencyKey(deps.db, context, taking, async (trx) => {
    await insert(deps, trx, context.merchant, payload);
    return await describe(trx, payload.checkoutId, merchantId);
  });
}

async function insert(
  { limits }: OpenCheckoutDeps,
  trx: Transaction<PaymentsDatabase>,
  { merchantId, credentialIssuedBy }: MessageContext["merchant"],
  payload: OpenCheckout,
): Promise<void> {
  const { expiresInSeconds, installmentOptions = [] } = payload;
  await insertCheckout(
    trx,
    {
      checkout_id: payload.checkoutId,
      merchant_id: merchantId,
      transaction_type: payload.transactionType,
      order_id: payload.orderId,
      customer_id: payload.customerId ?? null,
      amount_minor: BigInt(payload.amountMinor),
      currency: payload.currency,
      currency_exponent: currencyExponent(payload.currency) ?? 0,
      // Paying in full is always possible: not every card has a programme.
      installment_options: [...new Set([1, ...installmentOptions])].sort((a, b) => a - b),
      installment_prices: payload.installmentPrices ?? false,
      three_ds: payload.threeDs,
      success_url: payload.successUrl,
      failure_url: payload.failureUrl,
      credential_issued_by: credentialIssuedBy ?? null,
      payment_link_id: null,
      buyer_text: payload.buyerText ?? null,
      sealed_details: payload.details ? JSON.stringify(payload.details) : null,
    },
    expiresInSeconds === undefined ? limits.checkoutExpiresAfterMs : expiresInSeconds * 1_000,
  );
}

/** The checkout's record; a copy of the message gets the first one's. */
async function describe(
  trx: Transaction<PaymentsDatabase>,
  checkoutId: string,
  merchantId: string,
): Promise<Reply> {
  const found = await findCheckout(trx, checkoutId, merchantId);
  if (!found) return { outcome: "problem", code: "checkout_not_found" };
  return { outcome: "done", result: checkoutRecord(found) };
}

function fingerprintOf(
  { fingerprintKeys }: OpenCheckoutDeps,
  payload: OpenCheckout,
  details: OrderDetails | undefined,
): Pick<RequestIdentity, "fingerprint" | "older"> {
  const fields = [
    payload.orderId,
    payload.amountMinor,
    payload.currency,
    payload.customerId ?? null,
    payload.installmentOptions?.join() ?? null,
    payload.successUrl,
    payload.failureUrl,
    payload.transactionType,
    String(payload.threeDs),
    payload.expiresInSeconds ?? null,
    // Without such details the fingerprint covers the other fields alone.
    ...(details ? [JSON.stringify(details)] : []),
    ...(payload.installmentPrices ? ["installmentPrices"] : []),
    ...(payload.buyerText === undefined ? [] : ["buyerText", payload.buyerText]),
  ];
  const { hash, older } = underEachKey(fingerprintKeys, (key) => fingerprintRequest(key, fields));
  return { fingerprint: hash, older };
}
