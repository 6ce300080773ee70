import {
  startWorkPools,
  type Logger,
  type PeriodicTask,
  type WorkPoolOptions,
} from "@holdfast/service-runtime";
import { annotate, inLinkedSpan, SETTLED_OUTCOME } from "@holdfast/telemetry";
import { tryLater, type CarryOutDeps } from "../refund/carry-out-refund.ts";
import { accountsUnderWay, dueInMs, leaseDue, type LeasedRefund } from "../refund/refund-queries.ts";
import { recoverRefund } from "./recover-refund.ts";

/**
 * Finishes the refunds that are due, those that wait longest first, side by side and without rounds: a bank that never
 * answers about one of them holds one place of its account's, and the others are carried out meanwhile.
 */
export function startRecovery(
  deps: CarryOutDeps & { log: Logger },
  {
    inFlightMax,
    intervalMs,
    clock,
  }: Pick<WorkPoolOptions<never>, "intervalMs" | "clock"> & { /** Of each account. */ inFlightMax: number },
): PeriodicTask {
  return startWorkPools("recovery", {
    dueInMs: () => dueInMs(deps.db),
    keys: () => accountsUnderWay(deps.db),
    inFlightMax: () => inFlightMax,
    intervalMs,
    ...(clock && { clock }),
    lease: (accountId, limit) => leaseDue(deps.db, { leaseMs: deps.leaseMs, limit, accountId }),
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
