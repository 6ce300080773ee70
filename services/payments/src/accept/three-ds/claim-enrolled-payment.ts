import type { CommandReply, EnrolledPayment, EnrolPayment } from "@holdfast/contracts";
import { takeIdempotencyKey } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { certainlyNotCommitted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import { claimedVersion } from "../authorization/authorize-payment.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { NOT_YET_ANSWERED, type PaymentToConclude } from "../../payment/authorization-outcome.ts";
import type { ClaimRow } from "../../payment/payment-statements.ts";
import { JoinRefused, type ClaimTimes, type Join } from "../../payment/payment-writes.ts";
import { findUndecided, retryOnOrderConflict, orderUndecided } from "../../payment/undecided-order.ts";
import { claimEnrolment } from "./session-queries.ts";

export type ClaimEnrolledDeps = ClaimTimes & {
  db: Kysely<PaymentsDatabase>;
  events: BusinessEvents;
  /** The cardholder's time for the challenge, from the claim on. */
  sessionMs: number;
};

type Reply = CommandReply<EnrolledPayment>;

export type EnrolmentClaim =
  | { kind: "claimed"; payment: PaymentToConclude; expiresAt: Date }
  | { kind: "taken" }
  | { kind: "answered"; reply: Reply };

/** Claims a payment with 3-D Secure as ENROLLING, with its Idempotency-Key and its session, in one transaction. */
export async function claimEnrolledPayment(
  deps: ClaimEnrolledDeps,
  { context, payload }: Incoming<EnrolPayment>,
  row: ClaimRow,
  join: Join | undefined,
): Promise<EnrolmentClaim> {
  const { merchant, idempotency } = context;
  const owner = idempotency && { merchantId: merchant.merchantId, ...idempotency };
  try {
    const claimOnce = async (trx: Transaction<PaymentsDatabase>): Promise<EnrolmentClaim> => {
      const undecided = await findUndecided(trx, row);
      if (undecided !== undefined) return { kind: "answered", reply: orderUndecided(undecided) };
      const key = { fingerprint: row.idempotency_fingerprint!, resourceId: row.payment_id };
      if (owner && !(await takeIdempotencyKey(trx, owner, key))) return { kind: "taken" };
      const claimed = await claimEnrolment(trx, row, payload, deps);
      // The key is new but the payment exists: one id came under two keys, and its row is the answer.
      if (!claimed) return { kind: "taken" };
      if (join && !(await join(trx))) throw new JoinRefused();
      const { created_at, expires_at } = claimed;
      const version = claimedVersion({ created_at });
      const payment = { ...row, ...NOT_YET_ANSWERED, ...version, state: "ENROLLING" as const, created_at };
      return { kind: "claimed", payment, expiresAt: expires_at };
    };
    const claim = await retryOnOrderConflict(() => deps.db.transaction().execute(claimOnce));
    await failpoint("payments.after_enrolment_claim");
    return claim;
  } catch (error) {
    if (error instanceof JoinRefused) return { kind: "answered", reply: NOT_CLAIMED };
    deps.events.writeFailed("claim", row, error);
    return {
      kind: "answered",
      reply: { outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" },
    };
  }
}

const NOT_CLAIMED = { outcome: "problem", code: "payment_not_found" } as const;
