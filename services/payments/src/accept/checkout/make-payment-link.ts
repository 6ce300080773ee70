import {
  currencyExponent,
  type CommandReply,
  type EndPaymentLink,
  type MakePaymentLink,
  type PaymentLinkRecord,
} from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { fromNow } from "@holdfast/postgres";
import { type KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import { withIdempotencyKey } from "./with-idempotency-key.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { underEachKey } from "../fingerprint/keyed-hash.ts";
import { findPaymentLink, updateDisabled } from "./payment-link-queries.ts";
import { paymentLinkRecord } from "./payment-link-record.ts";

export type PaymentLinkDeps = { db: Kysely<PaymentsDatabase>; fingerprintKeys: KeyRing };
type Reply = CommandReply<PaymentLinkRecord>;
/** Further writes of the transaction, such as a line of the audit log. */
type WhenDone = (trx: Transaction<PaymentsDatabase>) => Promise<void>;

/** POST /api/payment-links: the link with its Idempotency-Key and the key's answer, in one transaction. */
export async function makePaymentLink(
  deps: PaymentLinkDeps,
  { context, payload }: Incoming<MakePaymentLink>,
  whenDone?: WhenDone,
): Promise<Reply> {
  const { paymentLinkId, ...request } = payload;
  const { merchantId, credentialIssuedBy } = context.merchant;
  const taking = identify(deps, paymentLinkId, [JSON.stringify(request)]);
  return await withIdempotencyKey(deps.db, context, taking, async (trx) => {
    await trx
      .insertInto("payment_link")
      .values({
        payment_link_id: paymentLinkId,
        merchant_id: merchantId,
        description: request.description,
        order_id: request.orderId,
        amount_minor: BigInt(request.amountMinor),
        currency: request.currency,
        currency_exponent: currencyExponent(request.currency) ?? 0,
        // Paying in full is always possible: not every card has a programme.
        installment_options: [...new Set([1, ...(request.installmentOptions ?? [])])].sort((a, b) => a - b),
        three_ds: request.threeDs,
        return_url: request.returnUrl ?? null,
        single_use: request.use === "SINGLE",
        credential_issued_by: credentialIssuedBy ?? null,
        expires_at: fromNow(request.expiresInSeconds * 1_000),
      })
      .onConflict((conflict) => conflict.column("payment_link_id").doNothing())
      .execute();
    await whenDone?.(trx);
    return await describe(trx, paymentLinkId, merchantId);
  });
}

/** POST /api/payment-links/{id}/disable. A claim that has the link's lock comes first, and no later one begins. */
export async function endPaymentLink(
  deps: PaymentLinkDeps,
  { context, payload: { paymentLinkId, requestId } }: Incoming<EndPaymentLink>,
  whenDone?: WhenDone,
): Promise<Reply> {
  const { merchantId } = context.merchant;
  return await withIdempotencyKey(
    deps.db,
    context,
    identify(deps, requestId, [paymentLinkId]),
    async (trx) => {
      await updateDisabled(trx, paymentLinkId, merchantId);
      await whenDone?.(trx);
      return await describe(trx, paymentLinkId, merchantId);
    },
  );
}

function identify({ fingerprintKeys }: PaymentLinkDeps, resourceId: string, fields: string[]) {
  const { hash, older } = underEachKey(fingerprintKeys, (key) => fingerprintRequest(key, fields));
  return { fingerprint: hash, older, resourceId };
}

async function describe(
  trx: Transaction<PaymentsDatabase>,
  paymentLinkId: string,
  merchantId: string,
): Promise<Reply> {
  const found = await findPaymentLink(trx, paymentLinkId, merchantId);
  if (!found) return { outcome: "problem", code: "payment_link_not_found" };
  return { outcome: "done", result: paymentLinkRecord(found) };
}
