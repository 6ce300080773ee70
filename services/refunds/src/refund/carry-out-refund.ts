/**
 * A decided refund, phase by phase, each committed before the next. An approved one is one call to the bank under a
 * reference of its own, repeated under that same reference until its outcome is known. An outcome that is not known
 * leaves it EXECUTING, with its amount reserved; it is never called a decline. It is sent under another reference only
 * where an inquiry says that the bank has called this one too late, so that nothing was or ever will be paid under it: the
 * bank pays at most once. Then `payments` settles or releases the amount, and only then the end is shown.
 */
import type { AcquirerOutcome, MovementOutcome } from "@holdfast/acquirer";
import { movementOutcome } from "@holdfast/acquirer/movement";
import { retryHintOf, waitFor } from "@holdfast/acquirer/not-sent";
import { failpoint, nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { changeRefund } from "./change-refund.ts";
import type { RefundRow } from "./refund-record.ts";
import { keepApproval, recordNotSent, postpone, renewLease, type LeasedRefund } from "./refund-queries.ts";
import type { FinalRefundState } from "./refund.ts";
import type { RefundBank, RefundVerdict } from "./refund-bank.ts";

export type CarryOutDeps = {
  db: Kysely<RefundsDatabase>;
  bank: RefundBank;
  payments: PaymentsPort;
  events: BusinessEvents;
  /** Times of the attempts in one state; after the last the time between two doubles. */
  scheduleMs: readonly number[];
  /** Bound of one acquirer call; shorter than the lease. */
  acquirerTimeoutMs: number;
  leaseMs: number;
  /** Epoch milliseconds. */
  now: () => number;
};

/**
 * Takes a decided refund as far as it will go now. An attempt that throws is an attempt: it is counted, operators see it,
 * and the next one is further away.
 * @param resumed whether the bank may have been asked before.
 * @throws only where not even the attempt can be counted; the lease then ends by itself.
 */
export async function carryOutRefund(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  { resumed }: { resumed: boolean },
): Promise<void> {
  let current: LeasedRefund | undefined = refund;
  try {
    if (refund.state === "EXECUTING") {
      current = await (resumed ? resumeExecution(deps, refund) : executeRefund(deps, refund));
    }
    if (current && isEnding(current)) await endRefund(deps, current);
  } catch (error) {
    deps.events.attemptFailed(refund, error);
    await tryLater(deps, current ?? refund, "attempt_failed");
  }
}

/** Calls the bank. @returns the refund in the state its end leads through, or undefined while the outcome is unknown. */
async function executeRefund(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  until = waitUntil(deps),
): Promise<LeasedRefund | undefined> {
  const outcome = await deps.bank.carryOut(refund, until);
  await failpoint("refunds.after_acquirer");
  if (outcome.kind === "not_sent") await recordNotSent(deps.db, refund);
  return await conclude(deps, refund, outcome);
}

/**
 * Asks about a call whose answer was lost. Repeats it where the bank has not seen the reference and will not get it any more,
 * and under the next
 * reference where the bank has called this one too late.
 */
async function resumeExecution(deps: CarryOutDeps, refund: LeasedRefund): Promise<LeasedRefund | undefined> {
  const answer = await inquireAboutRefund(deps, refund);
  await failpoint("refunds.after_inquiry");
  const { verdict: inquiry } = answer;
  const known = outcomeOf(deps, answer, refund);
  if (known === "wait") return await tryLater(deps, refund, inquiry.kind);
  if (known !== "repeat" && known !== "repeat_under_new_reference") {
    if (inquiry.kind === "approved" && known.kind === "unknown") await keepApproval(deps.db, refund, inquiry);
    return await conclude(deps, refund, known);
  }
  // Counted from before the commit: a process that stands still after it must not send it when another one may.
  const until = waitUntil(deps);
  const subReference = known === "repeat" ? refund.sub_reference : refund.sub_reference + 1;
  const renewed = await renewLease(deps.db, refund, {
    leaseMs: deps.leaseMs,
    found: inquiry.kind,
    subReference,
  });
  await failpoint("refunds.after_reference");
  return renewed && (await executeRefund(deps, renewed, until));
}

/** Asks the bank about the reference under which the refund was sent last. */
export async function inquireAboutRefund(
  deps: Pick<CarryOutDeps, "bank" | "now" | "acquirerTimeoutMs">,
  refund: RefundRow,
): Promise<RefundVerdict> {
  return await deps.bank.inquire(refund, waitUntil(deps));
}

/** The outcome of the refund by an inquiry about it. */
export function outcomeOf(
  { acquirerTimeoutMs }: Pick<CarryOutDeps, "acquirerTimeoutMs">,
  { verdict, repetition, lateArrivalMs }: RefundVerdict,
  { amount_minor, currency, sent_ms_ago }: Pick<LeasedRefund, "amount_minor" | "currency" | "sent_ms_ago">,
): MovementOutcome {
  const asked = { amountMinor: amount_minor, currency };
  const horizonMs = acquirerTimeoutMs + lateArrivalMs;
  return movementOutcome(verdict, asked, { sentMsAgo: sent_ms_ago, horizonMs }, { repetition });
}

/** Commits a known outcome, and leaves an unknown one to recovery. */
async function conclude(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  outcome: AcquirerOutcome,
): Promise<LeasedRefund | undefined> {
  switch (outcome.kind) {
    case "approved":
    case "declined": {
      const change = { ...changeBy(outcome), cause: outcome.kind, leaseMs: deps.leaseMs };
      const changed = await deps.db.transaction().execute((trx) => changeRefund(trx, refund, change));
      await failpoint("refunds.after_outcome");
      if (!changed) deps.events.lost(refund);
      return changed as LeasedRefund | undefined;
    }
    case "expired":
      // Only an inquiry tells whether nothing was paid under this reference. It is made immediately, unless the bank calls
      // one reference after the other too late.
      return await tryLater(deps, refund, "expired", refund.sub_reference === 1 ? { inMs: 0 } : {});
    case "unknown":
      return await tryLater(deps, refund, outcome.reason);
    case "not_sent": {
      const { cause, ...when } = retryHintOf(outcome);
      return await tryLater(deps, refund, cause, when);
    }
    default:
      return outcome satisfies never;
  }
}

/** The state that the bank's own answer leads to, with that answer. */
export function changeBy(outcome: Extract<AcquirerOutcome, { kind: "approved" | "declined" }>) {
  return {
    to: outcome.kind === "approved" ? ("SETTLING" as const) : ("FAILING" as const),
    set: {
      // A bank may have no name of its own for it.
      external_transaction_id: outcome.externalTransactionId || null,
      auth_code: outcome.kind === "approved" ? outcome.authCode : null,
      result_code: outcome.resultCode,
      result_message: outcome.resultMessage,
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
    .execute((trx) => changeRefund(trx, refund, { to, cause: "acknowledged", leaseMs: deps.leaseMs }));
  await failpoint("refunds.after_end");
  if (ended) deps.events.ended(ended);
  else deps.events.lost(refund);
}

/**
 * Ends the lease until the schedule's next step, until the bank takes the call (`notBefore`), or for `inMs`; the phase is then
 * done again.
 */
export async function tryLater(
  deps: Pick<CarryOutDeps, "db" | "events" | "scheduleMs" | "now">,
  refund: LeasedRefund,
  cause: string,
  { inMs, notBefore }: { inMs?: number; notBefore?: Date } = {},
): Promise<undefined> {
  const ageMs = refund.state_age_ms;
  const waitMs = inMs ?? waitFor(notBefore, { stepMs: nextAttemptInMs(ageMs, deps), now: deps.now() });
  await postpone(deps.db, refund, { inMs: waitMs, cause });
  deps.events.waiting(refund, { cause, ageMs: Math.round(ageMs), attempts: refund.recovery_attempts + 1 });
}

function waitUntil({ now, acquirerTimeoutMs }: Pick<CarryOutDeps, "now" | "acquirerTimeoutMs">): Date {
  return new Date(now() + acquirerTimeoutMs);
}
