import { currencyExponent, type ApiPaymentResponse, type CommandReply } from "@holdfast/contracts";
import { certainlyNotCommitted, fromNow } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import { forgetKey, storeAnswer, takeIdempotencyKey } from "@holdfast/idempotency";
import { sql, type Kysely, type Transaction } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import { merchantStatus } from "../refund/refund.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import { stateAgeMs, type LeasedRefund } from "../refund/refund-queries.ts";

type Refused = Extract<CommandReply<never>, { outcome: "problem" }>;

type ClaimDeps = {
  db: Kysely<RefundsDatabase>;
  events: BusinessEvents;
  /** Epoch milliseconds. */
  now: () => number;
};

/** One refund as it is requested, by a merchant or an operator. */
export type RefundRequest = {
  refundId: string;
  paymentId: string;
  merchantId: string;
  amountMinor: bigint;
  currency: string;
  /** The operator who requests it on the merchant's behalf. */
  requestedBy: string | undefined;
  /** Why it is requested, for the people who decide. */
  reason: string | undefined;
  /** The operator who issued the credential that the merchant requests it with, if that is known. */
  credentialIssuedBy: string | undefined;
  traceparent: string | null;
  /** Epoch milliseconds. */
  deadlineAt: number;
  idempotency: { scope: string; key: string; fingerprint: Buffer } | undefined;
  /** The caller's own writes in the transaction that shows the refund. */
  whenAccepted?: (trx: Transaction<RefundsDatabase>, refund: RefundRow) => Promise<void>;
};

export type RefundClaim =
  | { kind: "claimed"; refund: LeasedRefund }
  | { kind: "refused"; reply: CommandReply<ApiPaymentResponse> }
  | { kind: "copy" }
  | { kind: "repetition" };

/**
 * Writes the RESERVING row, which nobody is shown, together with its Idempotency-Key. Nothing comes before it, so a claim
 * that was certainly not committed has not started the request.
 */
export async function claimRefund(deps: ClaimDeps, request: RefundRequest): Promise<RefundClaim> {
  await failpoint("refunds.before_claim");
  try {
    const claim = await deps.db.transaction().execute((trx) => claimWithin(trx, deps, request));
    await failpoint("refunds.after_claim");
    return claim;
  } catch (error) {
    deps.events.writeFailed("claim", request, error);
    return { kind: "refused", reply: { outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" } };
  }
}

async function claimWithin(
  trx: Transaction<RefundsDatabase>,
  { now }: ClaimDeps,
  request: RefundRequest,
): Promise<RefundClaim> {
  const { refundId, merchantId, idempotency } = request;
  if (idempotency) {
    const owner = { merchantId, ...idempotency };
    if (!(await takeIdempotencyKey(trx, owner, { ...idempotency, resourceId: refundId }))) {
      return { kind: "repetition" };
    }
  }
  const parent = await findShownRefund(trx, request.paymentId, merchantId);
  if (parent) {
    const currentStatus = merchantStatus(parent.state);
    const reply: Refused = { outcome: "problem", code: "payment_not_refundable", extra: { currentStatus } };
    await storeAnswer(trx, refundId, reply);
    return { kind: "refused", reply };
  }
  const refund = await insertRefund(trx, request, Math.max(0, request.deadlineAt - now()));
  if (refund) return { kind: "claimed", refund };
  await forgetKey(trx, refundId);
  return { kind: "copy" };
}

/** The payment's id may be a refund's: refunds are not refunded. */
async function findShownRefund(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
  merchantId: string,
): Promise<Pick<RefundRow, "state"> | undefined> {
  return await trx
    .selectFrom("refund")
    .select("state")
    .where("refund_id", "=", refundId)
    .where("merchant_id", "=", merchantId)
    .where("state", "<>", "RESERVING")
    .executeTakeFirst();
}

/** The lease lasts as long as the request may: from then on recovery may roll it back. */
async function insertRefund(
  trx: Transaction<RefundsDatabase>,
  request: RefundRequest,
  leaseMs: number,
): Promise<LeasedRefund | undefined> {
  const leaseEnds = fromNow(leaseMs);
  const inserted = await trx
    .insertInto("refund")
    .values({
      refund_id: request.refundId,
      payment_id: request.paymentId,
      merchant_id: request.merchantId,
      version: 0,
      amount_minor: request.amountMinor,
      currency: request.currency,
      currency_exponent: currencyExponent(request.currency) ?? 0,
      requested_by: request.requestedBy ?? null,
      request_reason: request.reason ?? null,
      credential_issued_by: request.credentialIssuedBy ?? null,
      traceparent: request.traceparent,
      lease_token: sql<string>`gen_random_uuid()`,
      lease_until: leaseEnds,
      recover_at: leaseEnds,
    })
    .onConflict((conflict) => conflict.column("refund_id").doNothing())
    .returningAll()
    .returning(stateAgeMs().as("state_age_ms"))
    .executeTakeFirst();
  return inserted as LeasedRefund | undefined;
}
