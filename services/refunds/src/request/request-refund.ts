/**
 * A refund request in three phases: claim (a RESERVING row that is shown to nobody), have `payments` reserve
 * the amount, record. Only a reserved amount is ever shown, so refunds never exceed the payment, however many
 * arrive together. If the process dies in between, recovery rolls the request back: it has the reservation
 * released, then deletes the row.
 */
import {
  REFUND_REQUESTED,
  type ApiPaymentResponse,
  type CommandReply,
  type RefundReservation,
} from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import { forgetKey, storeAnswer } from "@holdfast/idempotency";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { changeRefund, recordEvent } from "../refund/change-refund.ts";
import { refundRecord, type RefundRow } from "../refund/refund-record.ts";
import { postpone, type LeasedRefund } from "../refund/refund-queries.ts";
import { answerRefundCopy, answerRefundRepetition } from "./answer-refund.ts";
import { claimRefund, type RefundRequest } from "./claim-refund.ts";
import { dropRefund } from "./drop-refund.ts";

export type RequestRefundDeps = {
  db: Kysely<RefundsDatabase>;
  payments: PaymentsPort;
  events: BusinessEvents;
  limits: { leaseMs: number };
  /** Epoch milliseconds. */
  now: () => number;
};

export type Reply = CommandReply<ApiPaymentResponse>;
type Refused = Extract<CommandReply<never>, { outcome: "problem" }>;

export async function requestRefund(deps: RequestRefundDeps, request: RefundRequest): Promise<Reply> {
  const claim = await claimRefund(deps, request);
  switch (claim.kind) {
    case "refused":
      return claim.reply;
    case "copy":
      return (await answerRefundCopy(deps, request)) ?? (await requestRefund(deps, request));
    case "repetition":
      return (
        (await answerRefundRepetition(deps, request, request.idempotency!)) ??
        (await requestRefund(deps, request))
      );
    case "claimed":
      break;
    default:
      return claim satisfies never;
  }
  const { refund } = claim;
  // It is too late: the merchant may have got a 504, have seen a 404, and have requested again.
  if (deps.now() > request.deadlineAt) return await drop(deps, refund, "deadline_passed");
  const reply = await deps.payments.reserve(refund, request.deadlineAt);
  await failpoint("refunds.after_reservation");
  switch (reply.outcome) {
    case "done":
      return await accept(deps, refund, reply.result, request);
    case "problem":
      // The reservation was released before it was made: recovery has rolled this request back.
      if (reply.code === "refund_already_decided") return await drop(deps, refund, "undone_before");
      return await refuse(deps, refund, reply);
    case "not_started":
      return await drop(deps, refund, "payments_unavailable");
    case "pending":
    case "in_doubt":
      return await leaveToRecovery(deps, refund);
    default:
      return reply satisfies never;
  }
}

async function accept(
  { db, events, limits: { leaseMs } }: RequestRefundDeps,
  refund: LeasedRefund,
  { kind, accountId, approvalsRequired, payment }: RefundReservation,
  { whenAccepted }: RefundRequest,
): Promise<Reply> {
  const set = {
    kind,
    account_id: accountId,
    approvals_required: approvalsRequired,
    order_id: payment.orderId,
    customer_id: payment.customerId ?? null,
    installment_count: payment.installmentCount,
    currency_exponent: payment.currencyExponent,
    card_holder_name: payment.cardHolderName,
    masked_pan: payment.pan,
    dom_int: payment.domInt ?? null,
    card_scheme: payment.cardScheme ?? null,
    card_type: payment.cardType ?? null,
    card_sub_type: payment.cardSubType ?? null,
    loyalty_code: payment.loyaltyCode ?? null,
  };
  try {
    const accepted = await db.transaction().execute(async (trx) => {
      const changed = await changeRefund(trx, refund, {
        to: "PENDING_APPROVAL",
        cause: "reserved",
        set,
        leaseMs,
      });
      if (!changed) return undefined;
      const reply = { outcome: "done", result: refundRecord(changed) } as const;
      await storeAnswer(trx, refund.refund_id, reply);
      await recordEvent(trx, changed, REFUND_REQUESTED);
      await whenAccepted?.(trx, changed);
      return { changed, reply };
    });
    await failpoint("refunds.after_request");
    // Recovery counted this process as dead and is rolling the request back, or has done so.
    if (!accepted) return { outcome: "in_doubt" };
    events.requested(accepted.changed);
    return accepted.reply;
  } catch (error) {
    events.writeFailed("record", keyOf(refund), error);
    return { outcome: "in_doubt" };
  }
}

/** `payments` keeps the refusal as a tombstone, so nothing can be reserved under this id; the row goes. */
async function refuse(deps: RequestRefundDeps, refund: LeasedRefund, reply: Refused): Promise<Reply> {
  try {
    await deps.db.transaction().execute(async (trx) => {
      if (!(await dropRefund(trx, refund))) return;
      if (STORED_REFUSALS.has(reply.code)) await storeAnswer(trx, refund.refund_id, reply);
      else await forgetKey(trx, refund.refund_id);
    });
  } catch (error) {
    deps.events.writeFailed("record", keyOf(refund), error);
  }
  return reply;
}

/** Refusals with 409 and 422 without Retry-After; a refusal that may change in a moment is not stored. */
const STORED_REFUSALS: ReadonlySet<string> = new Set([
  "payment_not_refundable",
  "refund_amount_exceeds_remaining",
  "currency_mismatch",
]);

/** Deletes a request for which nothing was reserved and nothing will be. */
async function drop(deps: RequestRefundDeps, refund: LeasedRefund, cause: string): Promise<Reply> {
  try {
    await deps.db.transaction().execute(async (trx) => {
      if (await dropRefund(trx, refund)) await forgetKey(trx, refund.refund_id);
    });
    deps.events.undone(refund, cause);
    return { outcome: "not_started" };
  } catch (error) {
    deps.events.writeFailed("record", keyOf(refund), error);
    return { outcome: "in_doubt" };
  }
}

/** The amount may have been reserved: recovery releases it, immediately. */
async function leaveToRecovery({ db, events }: RequestRefundDeps, refund: LeasedRefund): Promise<Reply> {
  try {
    await postpone(db, refund, { inMs: 0, cause: "reservation_in_doubt" });
  } catch (error) {
    events.writeFailed("postpone", keyOf(refund), error);
  }
  return { outcome: "in_doubt" };
}

function keyOf({ refund_id, merchant_id }: RefundRow): { refundId: string; merchantId: string } {
  return { refundId: refund_id, merchantId: merchant_id };
}
