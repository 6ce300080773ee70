/**
 * Lets two operators settle a refund by information from the bank's staff. The first proposes an outcome and
 * the second confirms it. Their decision never overrides the bank's answers: the bank is asked once more, and
 * what it knows is recorded whatever they decide. A refund is not FAILED, and its amount not refundable
 * again, while the bank says that it has paid any part of it.
 */
import {
  isSamePerson,
  nameOf,
  type OperatorContext,
  type RefundAnswer,
  type resolutionOutcomeSchema,
} from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";
import { carryOutRefund, changeBy, tryLater } from "../refund/carry-out-refund.ts";
import { endBy } from "../refund/refund-bank.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import { changeRefund, type RefundChange } from "../refund/change-refund.ts";
import { findRefund, keepAnswer, type LeasedRefund } from "../refund/refund-queries.ts";
import { auditRefund, ISSUED_BY_YOU, refuseAttempt } from "./audit-refund.ts";
import { describeRefund } from "./list-refunds.ts";
import {
  invalidState,
  leaseLocked,
  lockIdle,
  type OperatorDeps,
  type Problem,
  type Reply,
} from "./operator-request.ts";

type Outcome = z.infer<typeof resolutionOutcomeSchema>;
type Statement = { outcome: Outcome; evidence: string };
type Refused = Problem | { outcome: "not_started" };
type Confirmed = { refund: LeasedRefund; statement: Statement & { proposedBy: string } };

/** Proposes an outcome, or confirms the one another operator has proposed, which settles the refund. */
export async function resolveRefund(
  deps: OperatorDeps,
  context: OperatorContext,
  { refundId, outcome, evidence }: { refundId: string } & Statement,
): Promise<Reply> {
  const early = await tooYoung(deps, await findRefund(deps.db, refundId));
  if (early) return early;
  const proposed = await deps.db
    .transaction()
    .execute((trx) => proposeOrConfirm(deps, trx, context, refundId, { outcome, evidence }));
  if (proposed !== "proposed") {
    if ("outcome" in proposed) return proposed;
    const problem = await deps.beyondDeadline.wait(carryOut(deps, context, proposed), context);
    if (problem) return problem;
  }
  return await describeRefund(deps, context, refundId);
}

/** People judge what is over: until the horizon of the last sending the bank may get it yet. `payments` knows. */
async function tooYoung(
  { payments }: OperatorDeps,
  refund: RefundRow | undefined,
): Promise<Refused | undefined> {
  if (refund?.state !== "EXECUTING") return undefined;
  const sending = await payments.sending(refund);
  // A read begins nothing, whatever its outcome.
  if (sending.outcome !== "done") return sending.outcome === "problem" ? sending : { outcome: "not_started" };
  const { arrivesUntil: notBefore } = sending.result;
  return notBefore === undefined
    ? undefined
    : { outcome: "problem", code: "too_young", extra: { notBefore } };
}

async function proposeOrConfirm(
  deps: OperatorDeps,
  trx: Transaction<RefundsDatabase>,
  context: OperatorContext,
  refundId: string,
  statement: Statement,
): Promise<Refused | "proposed" | Confirmed> {
  const refund = await lockIdle(trx, refundId);
  if ("outcome" in refund) return refund;
  if (refund.state !== "EXECUTING") {
    const state = refund.state as Exclude<typeof refund.state, "RESERVING">;
    return invalidState(state, "The refund's outcome at the bank is known.");
  }
  const refuse = (detail?: string) =>
    refuseAttempt(trx, context, "refund.resolution_refused", refund, { code: "same_person", detail });
  // The issuer is neither of the two: who proposes and who confirms are both asked here.
  if (isSamePerson(refund.credential_issued_by, context.operator.person)) return await refuse(ISSUED_BY_YOU);
  const proposal = await trx
    .selectFrom("refund_resolution")
    .selectAll()
    .where("refund_id", "=", refundId)
    .executeTakeFirst();
  if (proposal?.outcome !== statement.outcome) {
    const row = { ...statement, proposed_by: context.operator.person, proposed_at: new Date() };
    await trx
      .insertInto("refund_resolution")
      .values({ refund_id: refundId, ...row })
      .onConflict((conflict) => conflict.column("refund_id").doUpdateSet(row))
      .execute();
    await auditRefund(trx, context, "refund.resolution_proposed", refund, statement);
    return "proposed";
  }
  if (proposal.proposed_by === context.operator.person) return await refuse();
  const leased = await leaseLocked(trx, deps, refund);
  return { refund: leased, statement: { ...statement, proposedBy: nameOf(proposal.proposed_by) } };
}

/** Asks the bank once more, and commits its answer, or else the two people's outcome. */
async function carryOut(
  deps: OperatorDeps,
  context: OperatorContext,
  { refund, statement }: Confirmed,
): Promise<Refused | undefined> {
  // Recovery may have sent it again before this lease.
  const early = await tooYoung(deps, refund);
  if (early) {
    await tryLater(deps, refund, "too_young");
    return early;
  }
  const inquiry = await deps.bank.inquire(refund, new Date(deps.now() + deps.limits.acquirerTimeoutMs));
  const paidOther = paidAnotherAmount(refund, inquiry);
  await keepAnswer(deps.db, refund, { answer: inquiry });
  if (paidOther && statement.outcome === "FAILED") {
    await tryLater(deps, refund, "mismatch");
    const said = paidOther === "now" && inquiry.kind === "approved" ? inquiry : undefined;
    return saysSettled(
      said?.resultCode ?? refund.result_code ?? "",
      said?.resultMessage ?? refund.result_message ?? "",
    );
  }
  const known = endBy(refund, inquiry);
  const change: Pick<RefundChange, "to" | "set" | "cause"> = known
    ? { ...changeBy(known), cause: known.kind }
    : { ...changeByPeople(statement.outcome, paidOther !== undefined), cause: RESOLVED_CAUSE };
  const changed = await deps.db.transaction().execute(async (trx) => {
    const after = await changeRefund(trx, refund, { ...change, leaseMs: deps.limits.leaseMs });
    if (!after) return undefined;
    await trx.deleteFrom("refund_resolution").where("refund_id", "=", refund.refund_id).execute();
    const detail = { ...statement, inquiry: inquiry.kind, decidedBy: known ? "bank" : "operators" };
    await auditRefund(trx, context, "refund.resolved", refund, detail);
    return after;
  });
  if (!changed) {
    deps.events.lost(refund);
    return { outcome: "problem", code: "operation_in_progress" };
  }
  await carryOutRefund(deps, changed as LeasedRefund, { resumed: true });
  return known?.kind === "approved" && statement.outcome === "FAILED"
    ? saysSettled(known.resultCode, known.resultMessage)
    : undefined;
}

/** True if the bank says that it has paid otherwise: another amount or twice now, or before and nothing else now. */
function paidAnotherAmount(refund: LeasedRefund, inquiry: RefundAnswer): "now" | "before" | undefined {
  if (inquiry.kind === "approved") return endBy(refund, inquiry) ? undefined : "now";
  if (inquiry.kind === "unknown" && inquiry.cause === "mismatch") return "now";
  const isSilent = inquiry.kind === "unknown" || inquiry.kind === "not_sent";
  return isSilent && refund.approved_minor !== null ? "before" : undefined;
}

/** The bank's answer about another amount stays beside the refund, for its record and its books. */
function changeByPeople(outcome: Outcome, keepAnswer: boolean): Pick<RefundChange, "to" | "set"> {
  const to = outcome === "SUCCESS" ? "SETTLING" : "FAILING";
  return keepAnswer ? { to } : { to, set: RESOLVED };
}

function saysSettled(resultCode: string, resultMessage: string): Problem {
  return { outcome: "problem", code: "bank_says_settled", extra: { resultCode, resultMessage } };
}

const RESOLVED_CAUSE = "resolved_by_operators";

const RESOLVED = {
  external_transaction_id: null,
  auth_code: null,
  result_code: "resolved",
  result_message: "Resolved by two operators with the outcome that the bank confirmed",
  approved_minor: null,
  approved_currency: null,
};
