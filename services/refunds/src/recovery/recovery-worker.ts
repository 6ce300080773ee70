import {
  startWorkPools,
  type Logger,
  type WorkPoolOptions,
  type WorkPools,
  failpoint,
} from "@holdfast/service-runtime";
import { annotate, inLinkedSpan, SETTLED_OUTCOME } from "@holdfast/telemetry";
import { tryLater, type CarryOutDeps, carryOutRefund } from "../refund/carry-out-refund.ts";
import { accountsUnderWay, dueInMs, leaseDue, type LeasedRefund } from "../refund/refund-queries.ts";
import { forgetKey } from "@holdfast/idempotency";
import { dropRefund } from "../request/drop-refund.ts";

/**
 * Finishes the due refunds, longest-waiting first, side by side and without rounds. A bank that never answers
 * about one refund blocks one permit of its account, and the other refunds are carried out meanwhile. Code
 * that leaves a refund for later nudges this worker.
 */
export function startRecovery(
  deps: CarryOutDeps & { log: Logger },
  {
    inFlightMax,
    intervalMs,
    clock,
  }: Pick<WorkPoolOptions<never>, "intervalMs" | "clock"> & {
    /** The bound of each account. */ inFlightMax: number;
  },
): WorkPools {
  return startWorkPools("recovery", {
    dueInMs: () => dueInMs(deps.db),
    isNudged: true,
    keys: () => accountsUnderWay(deps.db),
    inFlightMax: () => inFlightMax,
    intervalMs,
    ...(clock && { clock }),
    lease: (accountId, limit) => leaseDue(deps.db, { leaseMs: deps.limits.leaseMs, limit, accountId }),
    work: (refund) =>
      inLinkedSpan("recover refund", refund.traceparent, async (span) => {
        // An attempt that ends without an answer overwrites this; both traces are worth keeping.
        annotate({ "holdfast.outcome": SETTLED_OUTCOME }, span);
        await attempt(deps, refund);
      }),
    log: deps.log,
  });
}

/** An attempt that throws is an attempt: it is counted, operators see it, and the next one is further away. */
async function attempt(deps: CarryOutDeps, refund: LeasedRefund): Promise<void> {
  try {
    await recoverRefund(deps, refund);
  } catch (error) {
    deps.events.attemptFailed(refund, error);
    await tryLater(deps, refund, "attempt_failed");
  }
}

/**
 * Finishes a refund after a crash or an outage: a request that was never shown is rolled back, a decision is
 * carried out.
 */
async function recoverRefund(deps: CarryOutDeps, refund: LeasedRefund): Promise<void> {
  if (refund.state === "RESERVING") await undoRequest(deps, refund);
  else await carryOutRefund(deps, refund, { resumed: true });
}

/**
 * Has `payments` release a possible reservation, which leaves a tombstone there: a reservation that is still on its way
 * then reserves nothing. Only when that is acknowledged the row and its key are deleted.
 */
async function undoRequest(deps: CarryOutDeps, refund: LeasedRefund): Promise<void> {
  const reply = await deps.payments.release(refund);
  await failpoint("refunds.after_undo_told");
  if (reply.outcome !== "done") {
    await tryLater(
      deps,
      refund,
      reply.outcome === "problem" ? `payments_${reply.code}` : `payments_${reply.outcome}`,
    );
    return;
  }
  const dropped = await deps.db.transaction().execute(async (trx) => {
    const isDropped = await dropRefund(trx, refund);
    if (isDropped) await forgetKey(trx, refund.refund_id);
    return isDropped;
  });
  if (dropped) deps.events.undone(refund, "never_acknowledged");
  else deps.events.lost(refund);
}
