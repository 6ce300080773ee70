/**
 * A decided refund, phase by phase, each committed before the next. `payments` carries out an approved
 * refund, step by step until its outcome is known. An unknown outcome leaves it EXECUTING, with its amount
 * reserved; it is never called a decline. Then `payments` settles or releases the amount, and only then the
 * end is shown.
 */
import { waitFor } from "@holdfast/acquirer/not-sent";
import type { RefundAnswer } from "@holdfast/contracts";
import { failpoint, nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { changeRefund } from "./change-refund.ts";
import { keepAnswer, postpone, type LeasedRefund } from "./refund-queries.ts";
import type { FinalRefundState } from "./refund.ts";
import { endBy, type BankStep, type RefundBank } from "./refund-bank.ts";

export type CarryOutDeps = {
  db: Kysely<RefundsDatabase>;
  bank: RefundBank;
  payments: PaymentsPort;
  events: BusinessEvents;
  limits: {
    /** Times of the attempts in one state; after the last the time between two doubles. */
    scheduleMs: readonly number[];
    /** Bound of one acquirer call; shorter than the lease. */
    acquirerTimeoutMs: number;
    leaseMs: number;
  };
  /** Epoch milliseconds. */
  now: () => number;
};

/**
 * Takes a decided refund as far as possible now. An attempt that throws is counted, shown to operators, and
 * followed by a later one.
 * @param resumed true if the bank may have been asked before.
 * @throws only if not even the attempt can be counted; the lease then ends by itself.
 */
export async function carryOutRefund(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  { resumed }: { resumed: boolean },
): Promise<void> {
  let current: LeasedRefund | undefined = refund;
  try {
    if (refund.state === "EXECUTING") current = await executeRefund(deps, refund, resumed);
    if (current && isEnding(current)) await endRefund(deps, current);
  } catch (error) {
    deps.events.attemptFailed(refund, error);
    await tryLater(deps, current ?? refund, "attempt_failed");
  }
}

/** One step at the bank. @returns the refund in the state its end leads through, or undefined while the outcome is unknown. */
async function executeRefund(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  resumed: boolean,
): Promise<LeasedRefund | undefined> {
  // An inquiry, and a call behind it.
  const until = new Date(deps.now() + 2 * deps.limits.acquirerTimeoutMs);
  const step = await deps.bank.carryOut(refund, resumed, until);
  await failpoint(resumed ? "refunds.after_inquiry" : "refunds.after_acquirer");
  await keepAnswer(deps.db, refund, step);
  return await conclude(deps, refund, step);
}

/** Commits a known outcome, and leaves an unknown one to recovery. */
async function conclude(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  { answer, again }: BankStep,
): Promise<LeasedRefund | undefined> {
  const end = endBy(refund, answer);
  if (end) {
    const change = { ...changeBy(end), cause: end.kind, leaseMs: deps.limits.leaseMs };
    const changed = await deps.db.transaction().execute((trx) => changeRefund(trx, refund, change));
    await failpoint("refunds.after_outcome");
    if (!changed) deps.events.lost(refund);
    return changed as LeasedRefund | undefined;
  }
  if (!("cause" in answer)) return await tryLater(deps, refund, "mismatch");
  const { cause, notBefore } = answer;
  return await tryLater(deps, refund, cause, {
    ...(again === "now" && { inMs: 0 }),
    ...(notBefore !== undefined && { notBefore: new Date(notBefore) }),
  });
}

/** The state that the bank's own answer leads to, with that answer. */
export function changeBy(outcome: Extract<RefundAnswer, { kind: "approved" | "declined" }>) {
  return {
    to: outcome.kind === "approved" ? ("SETTLING" as const) : ("FAILING" as const),
    set: {
      // A bank may have no name of its own for it.
      external_transaction_id: outcome.externalTransactionId || null,
      auth_code: outcome.kind === "approved" ? outcome.authCode : null,
      result_code: outcome.resultCode,
      result_message: outcome.resultMessage,
      as_void: outcome.kind === "approved" && outcome.asVoid === true,
      approved_minor: null,
      approved_currency: null,
    },
  };
}

function isEnding(refund: LeasedRefund): refund is LeasedRefund & { state: EndingState } {
  return refund.state in ENDS;
}

/** States in which a refund's end is decided, and the end each leads to. */
const ENDS = {
  SETTLING: "SUCCESS",
  FAILING: "FAILED",
  REJECTING: "REJECTED",
} as const satisfies Record<string, FinalRefundState>;
type EndingState = keyof typeof ENDS;

/**
 * Has `payments` settle or release the amount of a refund whose end is committed, and only when that is acknowledged
 * shows the end: a merchant who sees FAILED can request the same amount again immediately. It is idempotent on both
 * sides, and repeated until acknowledged.
 */
async function endRefund(deps: CarryOutDeps, refund: LeasedRefund & { state: EndingState }): Promise<void> {
  const to = ENDS[refund.state];
  const reply = to === "SUCCESS" ? await deps.payments.settle(refund) : await deps.payments.release(refund);
  await failpoint("refunds.after_payments_told");
  if (reply.outcome !== "done") {
    await tryLater(
      deps,
      refund,
      reply.outcome === "problem" ? `payments_${reply.code}` : `payments_${reply.outcome}`,
    );
    return;
  }
  const ended = await deps.db
    .transaction()
    .execute((trx) => changeRefund(trx, refund, { to, cause: "acknowledged", leaseMs: deps.limits.leaseMs }));
  await failpoint("refunds.after_end");
  if (ended) deps.events.ended(ended);
  else deps.events.lost(refund);
}

/**
 * Ends the lease until the schedule's next step, until the bank accepts the call (`notBefore`), or for
 * `inMs`; the phase is then repeated.
 */
export async function tryLater(
  deps: Pick<CarryOutDeps, "db" | "events" | "limits" | "now">,
  refund: LeasedRefund,
  cause: string,
  { inMs, notBefore }: { inMs?: number; notBefore?: Date } = {},
): Promise<undefined> {
  const ageMs = refund.state_age_ms;
  const waitMs = inMs ?? waitFor(notBefore, { stepMs: nextAttemptInMs(ageMs, deps.limits), now: deps.now() });
  await postpone(deps.db, refund, { inMs: waitMs, cause });
  deps.events.waiting(refund, { cause, ageMs: Math.round(ageMs), attempts: refund.recovery_attempts + 1 });
}
