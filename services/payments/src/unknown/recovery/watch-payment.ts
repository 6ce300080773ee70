import { nextAttemptInMs, startWorkPools, type WorkPools } from "@holdfast/service-runtime";
import { waitFor } from "@holdfast/acquirer";
import { isUnsettled } from "../../payment/payment.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import { NOT_SEEN_CAUSE, RESOLVED_CAUSE, REVERSED_CAUSE } from "./decide-recovery.ts";
import type { BankCall } from "../../bank/ledger/bank-call.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { inquire } from "../../bank/ledger/movement.ts";
import { findOperation } from "../../follow-up/operation/operation-queries.ts";
import { movementOf } from "../../follow-up/operation/start-operation.ts";
import { inquireAtBank } from "../../follow-up/refund-reservation/refund-at-bank.ts";
import { askAboutCharge, askAboutHold } from "../../bank/ledger/ask-about.ts";
import { decideAfterRefusedHold } from "./decide-undo.ts";
import { reversalOf, standsBesideRefund } from "./reversal.ts";
import { causeOf, undoPayment } from "./undo-payment.ts";
import type { RecoveryWorkerDeps, UpkeepOptions } from "./recovery-worker.ts";
import {
  recordLook,
  takeWatched,
  watchedDueInMs,
  type WatchedPayment,
} from "../../bank/ledger/watch-queries.ts";

/**
 * Inquires once more about a payment that ended because the bank had not shown it by the horizon. If the bank
 * now shows money under its reference, the money is given back, over as many attempts as it takes, until a
 * chargeback has given it back, or until a hold that the bank no longer releases lapses. The payment keeps its
 * state. Operators get an event when the money is first seen.
 */
export async function watchPayment(deps: RecoverDeps, payment: WatchedPayment): Promise<void> {
  if (!endedUnseen(payment)) {
    // The process that decided to end the payment died before it recorded the end, and recovery continues; or
    // the payment has ended otherwise.
    const next = isUnsettled(payment.state) ? { againInMs: UNSETTLED_AGAIN_MS } : { isOver: true as const };
    return await recordLook(deps.db, payment, { isSighted: false, lastInquiry: "not_asked", ...next });
  }
  const known = reversalOf(await findCalls(deps.db, payment.payment_id));
  const inquiry = await askAboutCharge(deps, payment, []);
  const isSighted = inquiry.kind === "approved";
  // People who end what the bank has settled have seen it.
  const isSeen = payment.sighted_at !== null || (payment.cause === RESOLVED_CAUSE && known?.settled_at);
  if (isSighted && !isSeen) deps.events.lateMoneySeen(payment);
  const result = await undoPayment(deps, { ...payment, age_ms: Number.POSITIVE_INFINITY }, inquiry);
  if (result.kind === "undone") {
    const lastInquiry = result.by === "horizon" ? "not_found" : `undone_by_${result.by}`;
    return await recordLook(deps.db, payment, { isSighted, lastInquiry, isOver: true });
  }
  if (result.isChargedBack)
    return await recordLook(deps.db, payment, { isSighted, lastInquiry: "charged_back", isOver: true });
  const refused = result.cause === "reversal_refused" ? await afterRefusedHold(deps, payment) : undefined;
  if (refused && "end" in refused)
    return await recordLook(deps.db, payment, { isSighted, lastInquiry: "hold_lapses", isOver: true });
  const lastInquiry = refused ? "hold_stands" : result.cause;
  if (isSighted || payment.sighted_at !== null) {
    deps.events.lateMoneyStands(payment, { cause: lastInquiry, attempts: payment.attempts + 1 });
  }
  // No later inquiry changes that, and operators have got the event.
  const { horizonMs } = deps.bank.termsOf(payment.account_id);
  if (known && standsBesideRefund(known, result.cause, horizonMs))
    return await recordLook(deps.db, payment, { isSighted, lastInquiry, isOver: true });
  const stepMs = refused?.againInMs ?? nextAttemptInMs(payment.sighted_ms, deps.limits);
  const againInMs = result.next === "now" ? 0 : waitFor(result.notBefore, { stepMs, now: deps.now() });
  await recordLook(deps.db, payment, { isSighted, lastInquiry, againInMs });
}

/** Some banks release a hold on its day only, which is over at the first look. */
async function afterRefusedHold(deps: RecoverDeps, payment: WatchedPayment) {
  if (payment.transaction_type !== "PRE_AUTHORIZATION") return undefined;
  const calls = await findCalls(deps.db, payment.payment_id);
  return decideAfterRefusedHold(await askAboutHold(deps, payment, calls), calls);
}

/** Money of no other payment is given back here: people may have booked it, and the merchant may have shipped. */
function endedUnseen({ state, cause }: WatchedPayment): boolean {
  return (state === "FAILED" || state === "CANCELLED") && UNSEEN_CAUSES.has(cause);
}

const UNSEEN_CAUSES: ReadonlySet<string> = new Set([NOT_SEEN_CAUSE, RESOLVED_CAUSE, REVERSED_CAUSE]);
const UNSETTLED_AGAIN_MS = 60_000;

/**
 * Inquires once more about an operation or a refund that has ended as not done although no answer said so. If
 * the bank now shows it, operators get an event. Nothing is sent: a merchant may have refunded or captured
 * again meanwhile.
 */
export async function watchMovement(
  deps: RecoverDeps,
  watched: WatchedPayment & { movement_id: string },
): Promise<void> {
  const first = (await findCalls(deps.db, watched.payment_id)).find(
    ({ movement_id }) => movement_id === watched.movement_id,
  );
  const lastInquiry = first ? await askWhatBecame(deps, watched, first) : "not_asked";
  const isSighted = lastInquiry === "approved" || lastInquiry === "mismatch";
  if (isSighted && first) deps.events.lateMovementSeen(watched, first);
  const isAnswered = isSighted || END_OF_WATCH.has(lastInquiry);
  const againInMs = UNSETTLED_AGAIN_MS * 2 ** Math.min(watched.attempts, 6);
  await recordLook(deps.db, watched, {
    isSighted,
    lastInquiry,
    ...(isAnswered ? { isOver: true } : { againInMs }),
  });
}

const END_OF_WATCH: ReadonlySet<string> = new Set([
  "not_found",
  "declined",
  "expired",
  "reversed",
  "not_asked",
]);

/** The word for the bank's answer. */
async function askWhatBecame(deps: RecoverDeps, payment: WatchedPayment, first: BankCall): Promise<string> {
  const operation = await findOperation(deps.db, first.movement_id!);
  if (operation) {
    const calls = await findCalls(deps.db, payment.payment_id);
    return causeOf(await inquire(deps, payment, movementOf(operation), calls));
  }
  const { payment_id: paymentId, currency } = payment;
  const refund = {
    refundId: first.movement_id!,
    paymentId,
    kind: first.kind === "release" ? ("release" as const) : ("refund" as const),
    amountMinor: first.amount_minor.toString(),
    currency,
  };
  const reply = await inquireAtBank(deps, refund, deps.now() + deps.bank.callMs);
  if (reply.outcome !== "done") return reply.outcome;
  const { answer } = reply.result;
  return "cause" in answer ? answer.cause : answer.kind;
}

/** Looks at the payments that are due, side by side. */
export function startWatching(deps: RecoveryWorkerDeps, options: UpkeepOptions): WorkPools {
  return startWorkPools("watch", {
    ...options,
    dueInMs: () => watchedDueInMs(deps.db),
    lease: (accountId, limit) => takeWatched(deps.db, { limit, leaseMs: deps.limits.leaseMs, accountId }),
    work: (watched) =>
      watched.movement_id === null
        ? watchPayment(deps, watched)
        : watchMovement(deps, { ...watched, movement_id: watched.movement_id }),
  });
}
