/**
 * Gives back what the bank may have taken for a payment that is to be reversed. The bank is asked first what it approved,
 * since a reversal in another amount has no effect; where its day is over and it has settled the money, a refund under a
 * reference of its own gives it back. Each attempt makes at most two calls, and what the bank says is committed before the
 * next attempt acts on it.
 */
import {
  movementOutcome,
  type Attempt,
  type FollowUpRequest,
  orderIdOf,
  type Target,
  type ReversalRequest,
  type Verdict,
} from "@holdfast/acquirer";
import { failpoint } from "@holdfast/service-runtime";
import { askAbout, waitUntil } from "../../bank/calls/ask-about.ts";
import {
  cardOperationOf,
  followUpOf,
  paymentAttempt,
  reversalRefundAttempt,
  targetOf,
} from "../../bank/calls/attempts.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import {
  decideAfterRefund,
  decideAfterReversal,
  isUndone,
  mayStillArrive,
  type UndoDecision,
  type UndoResult,
} from "./decide-undo.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import {
  findReversal,
  recordBankAnswer,
  recordRefundNotSent,
  recordRefundSending,
  type Reversal,
} from "./reversal-queries.ts";
import { recordReversalAnswer, recordReversalSending } from "./reversal-sending.ts";
import { startWatch } from "./watch-queries.ts";

/** A payment to undo, also one that has ended and of which the bank has shown money afterwards. */
export type UndonePayment = Omit<LeasedPayment, "lease_token" | "due_at"> & { lease_token: string | null };

/** @param inquiry what the bank has just said of the payment's reference, if it was asked. */
export async function undoPayment(
  deps: RecoverDeps,
  payment: UndonePayment,
  inquiry?: Verdict,
): Promise<UndoResult> {
  const known = await findReversal(deps.db, payment.payment_id);
  if (known?.settled_at) return await refundSettled(deps, payment, known);
  const found = inquiry ?? (await askAbout(deps, payment, paymentAttempt(payment)));
  if (isUndone(found)) return { kind: "undone", by: "reversal" };
  if (!deps.maySend) return { kind: "wait", cause: causeOf(found), next: "now" };
  const approvedMinor = await approvedAmount(deps, payment, known, found);
  return await sendReversal(deps, payment, known, {
    target: withKnownId(targetOf(payment), found),
    amountMinor: approvedMinor,
    isUnseen: found.kind === "not_found",
  });
}

async function sendReversal(
  deps: RecoverDeps,
  payment: UndonePayment,
  known: Reversal | undefined,
  { isUnseen, ...of }: { target: Target; amountMinor: bigint; isUnseen: boolean },
): Promise<UndoResult> {
  const request: ReversalRequest = {
    ...of,
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    operation: cardOperationOf(payment),
    currency: payment.currency,
    // Counted from before the commit: a process that stands still after it must not send it when people may book.
    waitUntil: waitUntil(deps),
  };
  const sending = await recordReversalSending(deps.db, payment, known);
  if (sending === undefined) return { kind: "wait", cause: "reversal_sent_elsewhere" };
  const reversal = await deps.acquirers.of(payment.account_id).reverse(request);
  await failpoint("payments.after_reversal");
  if (!mayStillArrive(reversal)) {
    await recordReversalAnswer(deps.db, payment.payment_id, { sending, known });
  }
  return await commit(
    deps,
    payment,
    decideAfterReversal(reversal, payment.age_ms, deps.termsOf(payment.account_id), isUnseen),
  );
}

/** Commits the bank's answer before anything is made of it. */
async function commit(
  deps: RecoverDeps,
  payment: UndonePayment,
  { result, note, refusal }: UndoDecision,
): Promise<UndoResult> {
  // The watch starts before the payment ends: without one it would be forgotten while the bank may still carry it out.
  if (result.kind === "undone" && result.by === "horizon") await startWatch(deps, payment);
  if (note) await recordBankAnswer(deps.db, payment.payment_id, note);
  if (refusal) deps.events.reversalRefused(payment, refusal);
  return result;
}

async function approvedAmount(
  { db }: RecoverDeps,
  payment: UndonePayment,
  known: Reversal | undefined,
  found: Verdict,
): Promise<bigint> {
  const approvedMinor = amountToReverse(payment, known, found);
  if (approvedMinor !== (known?.approved_minor ?? payment.amount_minor)) {
    await recordBankAnswer(db, payment.payment_id, { approvedMinor });
  }
  return approvedMinor;
}

/** The bank's own amount under the reference; where it does not say, what it said before, or what it was asked for. */
export function amountToReverse(
  payment: Pick<UndonePayment, "amount_minor">,
  known: Pick<Reversal, "approved_minor"> | undefined,
  found: Verdict,
): bigint {
  return found.kind === "approved" ? found.amountMinor : (known?.approved_minor ?? payment.amount_minor);
}

/** Refunds what was settled, under a reference that is the same however often it is sent. */
async function refundSettled(
  deps: RecoverDeps,
  payment: UndonePayment,
  reversal: Reversal,
): Promise<UndoResult> {
  const attempt = refundAttemptOf(payment, reversal);
  const inquiry = await askAbout(deps, payment, attempt);
  const { horizonMs } = deps.termsOf(payment.account_id);
  const sending = { sentMsAgo: reversal.refund_sent_ms_ago, horizonMs };
  const outcome = movementOutcome(
    inquiry,
    attempt,
    sending,
    deps.acquirers.of(payment.account_id).capabilities,
  );
  switch (outcome) {
    case "wait":
      return { kind: "wait", cause: "refund_not_found" };
    case "repeat":
      if (!deps.maySend) return { kind: "wait", cause: "refund_not_found", next: "now" };
      return await sendRefund(deps, payment, reversal, attempt);
    case "repeat_under_new_reference":
      // Nothing was paid under this reference, and nothing will be.
      await recordBankAnswer(deps.db, payment.payment_id, { refundExpired: reversal.refund_sub_reference });
      return {
        kind: "wait",
        cause: "refund_expired",
        // A bank that goes on calling it late, its clock being off, is asked by the schedule.
        ...(reversal.refund_sub_reference === 1 && { next: "now" as const }),
      };
    default:
      return await commit(deps, payment, decideAfterRefund(outcome));
  }
}

async function sendRefund(
  deps: RecoverDeps,
  payment: UndonePayment,
  reversal: Reversal,
  { reference, amountMinor }: Attempt,
): Promise<UndoResult> {
  const request: FollowUpRequest = {
    ...followUpOf(payment),
    reference,
    amountMinor,
    // Counted from before the commit: a process that stands still after it must not send it when another one may.
    waitUntil: waitUntil(deps),
  };
  const sending = await recordRefundSending(deps.db, reversal);
  if (sending === undefined) return { kind: "wait", cause: "refund_sent_elsewhere" };
  const outcome = await deps.acquirers.of(payment.account_id).refund(request);
  await failpoint("payments.after_reversal_refund");
  if (outcome.kind === "not_sent") await recordRefundNotSent(deps.db, payment.payment_id, sending);
  return await commit(deps, payment, decideAfterRefund(outcome));
}

/** The refund of a payment that was settled before it could be reversed. */
export function refundAttemptOf(payment: UndonePayment, reversal: Reversal): Attempt {
  return reversalRefundAttempt(payment, {
    subReference: reversal.refund_sub_reference,
    amountMinor: reversal.approved_minor ?? payment.amount_minor,
    since: reversal.settled_at ?? payment.created_at,
  });
}

/** An answer that was lost may have named the charge; the inquiry does again. */
function withKnownId(target: Target, found: Verdict): Target {
  return found.kind === "approved" && found.externalTransactionId !== ""
    ? { ...target, externalTransactionId: found.externalTransactionId }
    : target;
}

/** The word for what an inquiry said, or for why it said nothing. */
export function causeOf(inquiry: Verdict): string {
  return inquiry.kind === "unknown" ? inquiry.reason : inquiry.kind;
}
