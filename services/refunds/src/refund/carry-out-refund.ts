/**
 * A decided refund, phase by phase, each committed before the next. An approved one is one call to the bank under a
 * reference of its own, repeated under that same reference until its outcome is known. An outcome that is not known
 * leaves it EXECUTING, with its amount reserved; it is never called a decline and never sent under another reference, so
 * the bank pays at most once. Then `payments` settles or releases the amount, and only then the end is shown.
 */
import type { Acquirer, AcquirerOutcome, FollowUpRequest, InquiryOutcome } from "@holdfast/acquirer";
import { failpoint, nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import type { PaymentsPort } from "../payments-port.ts";
import { changeRefund } from "./change-refund.ts";
import type { RefundRow } from "./refund-record.ts";
import { postpone, renewLease, type LeasedRefund } from "./refund-queries.ts";
import type { FinalRefundState } from "./refund.ts";

export type CarryOutDeps = {
  db: Kysely<RefundsDatabase>;
  acquirer: Acquirer;
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
 * Takes a decided refund as far as it will go now.
 * @param resumed whether the bank may have been asked before.
 */
export async function carryOutRefund(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  { resumed }: { resumed: boolean },
): Promise<void> {
  let current: RefundRow | undefined = refund;
  if (refund.state === "EXECUTING") {
    current = await (resumed ? resumeExecution(deps, refund) : executeRefund(deps, refund));
  }
  if (current && isEnding(current)) await endRefund(deps, current);
}

/** Calls the bank. @returns the refund in the state its end leads through, or undefined while the outcome is unknown. */
async function executeRefund(deps: CarryOutDeps, refund: LeasedRefund): Promise<RefundRow | undefined> {
  const outcome = await callAcquirer(deps, refund);
  await failpoint("refunds.after_acquirer");
  return await conclude(deps, refund, outcome);
}

/** Asks about a call whose answer was lost, and repeats it where the bank has not seen the reference. */
async function resumeExecution(deps: CarryOutDeps, refund: LeasedRefund): Promise<RefundRow | undefined> {
  const inquiry = await deps.acquirer.inquire({
    reference: acquirerReference(refund),
    waitUntil: waitUntil(deps),
  });
  await failpoint("refunds.after_inquiry");
  const known = outcomeOf(inquiry, refund);
  if (known !== "repeat") return await conclude(deps, refund, known);
  const stillOurs = await renewLease(deps.db, refund, { leaseMs: deps.leaseMs, found: "not_found" });
  return stillOurs ? await executeRefund(deps, refund) : undefined;
}

/** Fixed for the life of the refund; every call carries it. */
function acquirerReference({ refund_id }: Pick<RefundRow, "refund_id">): string {
  return `${refund_id}:refund`;
}

async function callAcquirer(deps: CarryOutDeps, refund: LeasedRefund): Promise<AcquirerOutcome> {
  const request: FollowUpRequest = {
    reference: acquirerReference(refund),
    parentReference: refund.parent_reference!,
    amountMinor: refund.amount_minor,
    currency: refund.currency,
    waitUntil: waitUntil(deps),
  };
  return refund.kind === "release"
    ? await deps.acquirer.release(request)
    : await deps.acquirer.refund(request);
}

/** The call's outcome by an inquiry, or that it is to be repeated. */
function outcomeOf(inquiry: InquiryOutcome, refund: RefundRow): AcquirerOutcome | "repeat" {
  switch (inquiry.kind) {
    case "approved": {
      const same = inquiry.amountMinor === refund.amount_minor && inquiry.currency === refund.currency;
      // Another amount than ours under our reference needs an operator.
      return same ? inquiry : MISMATCH;
    }
    case "not_found":
      return "repeat";
    case "reversed":
      return MISMATCH;
    case "declined":
    case "expired":
    case "unknown":
    case "not_sent":
      return inquiry;
    default:
      return inquiry satisfies never;
  }
}

const MISMATCH: AcquirerOutcome = { kind: "unknown", reason: "mismatch" };

/** Commits a known outcome, and leaves an unknown one to recovery. */
async function conclude(
  deps: CarryOutDeps,
  refund: LeasedRefund,
  outcome: AcquirerOutcome,
): Promise<RefundRow | undefined> {
  switch (outcome.kind) {
    case "approved":
    case "declined": {
      const set = {
        external_transaction_id: outcome.externalTransactionId ?? null,
        auth_code: outcome.kind === "approved" ? outcome.authCode : null,
        result_code: outcome.resultCode,
        result_message: outcome.resultMessage,
      };
      const to = outcome.kind === "approved" ? "SETTLING" : "FAILING";
      const change = { to, cause: outcome.kind, set, leaseMs: deps.leaseMs } as const;
      const changed = await deps.db.transaction().execute((trx) => changeRefund(trx, refund, change));
      await failpoint("refunds.after_outcome");
      if (!changed) deps.events.lost(refund);
      return changed;
    }
    case "expired":
      return await tryLater(deps, refund, "expired");
    case "unknown":
      return await tryLater(deps, refund, outcome.reason);
    case "not_sent":
      return await tryLater(deps, refund, "acquirer_unavailable");
    default:
      return outcome satisfies never;
  }
}

function isEnding(refund: RefundRow): refund is LeasedRefund & { state: EndingState } {
  return refund.state in ENDS && refund.lease_token !== null;
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

/** Ends the lease until the schedule's next step; the phase is then done again. */
export async function tryLater(deps: CarryOutDeps, refund: LeasedRefund, cause: string): Promise<undefined> {
  const ageMs = Math.max(0, deps.now() - refund.state_since.getTime());
  await postpone(deps.db, refund, { inMs: nextAttemptInMs(ageMs, deps), cause });
  deps.events.waiting(refund, { cause, ageMs, attempts: refund.recovery_attempts + 1 });
}

function waitUntil({ now, acquirerTimeoutMs }: CarryOutDeps): Date {
  return new Date(now() + acquirerTimeoutMs);
}
