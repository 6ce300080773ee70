import { nextAttemptInMs, startWorkPools, type PeriodicTask } from "@holdfast/service-runtime";
import { waitFor } from "@holdfast/acquirer";
import { isUnsettled } from "../../payment/payment.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import { NOT_SEEN_CAUSE, RESOLVED_CAUSE } from "./decide-recovery.ts";
import { askAbout } from "../../bank/ledger/ask-about.ts";
import { paymentAttempt } from "../../bank/ledger/attempts.ts";
import { undoPayment } from "./undo-payment.ts";
import type { RecoveryWorkerDeps, UpkeepOptions } from "./recovery-worker.ts";
import { recordLook, takeWatched, watchedDueInMs, type WatchedPayment } from "./watch-queries.ts";

/**
 * Looks once more at a payment that has ended because the bank had not seen it until the horizon. Where the bank shows
 * money under its reference by now, that is given back, over as many attempts as it takes: the payment stays what it
 * is. Operators learn of it when it is first seen.
 */
export async function watchPayment(deps: RecoverDeps, payment: WatchedPayment): Promise<void> {
  if (!endedUnseen(payment)) {
    // The process that decided so has died before it could record it, and recovery goes on; or it has ended otherwise.
    const next = isUnsettled(payment.state) ? { againInMs: UNSETTLED_AGAIN_MS } : { isOver: true as const };
    return await recordLook(deps.db, payment, { isSighted: false, lastInquiry: "not_asked", ...next });
  }
  const inquiry = await askAbout(deps, payment, paymentAttempt(payment));
  const isSighted = inquiry.kind === "approved";
  if (isSighted && payment.sighted_at === null) deps.events.lateMoneySeen(payment);
  const result = await undoPayment(deps, { ...payment, age_ms: Number.POSITIVE_INFINITY }, inquiry);
  if (result.kind === "undone") {
    const lastInquiry = result.by === "horizon" ? "not_found" : `undone_by_${result.by}`;
    return await recordLook(deps.db, payment, { isSighted, lastInquiry, isOver: true });
  }
  if (isSighted || payment.sighted_at !== null) {
    deps.events.lateMoneyStands(payment, { cause: result.cause, attempts: payment.attempts + 1 });
  }
  const stepMs = nextAttemptInMs(payment.sighted_ms, deps.limits);
  const againInMs = result.next === "now" ? 0 : waitFor(result.notBefore, { stepMs, now: deps.now() });
  await recordLook(deps.db, payment, { isSighted, lastInquiry: result.cause, againInMs });
}

/** Money of no other payment is given back here: people may have booked it, and the merchant may have shipped. */
function endedUnseen({ state, cause }: WatchedPayment): boolean {
  return (state === "FAILED" || state === "CANCELLED") && UNSEEN_CAUSES.has(cause);
}

const UNSEEN_CAUSES: ReadonlySet<string> = new Set([NOT_SEEN_CAUSE, RESOLVED_CAUSE]);
const UNSETTLED_AGAIN_MS = 60_000;

/** Looks at the payments that are due, side by side. */
export function startWatching(deps: RecoveryWorkerDeps, options: UpkeepOptions): PeriodicTask {
  return startWorkPools("watch", {
    ...options,
    dueInMs: () => watchedDueInMs(deps.db),
    lease: (accountId, limit) => takeWatched(deps.db, { limit, leaseMs: deps.leaseMs, accountId }),
    work: (payment) => watchPayment(deps, payment),
    log: deps.log,
  });
}
