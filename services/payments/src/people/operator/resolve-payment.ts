/**
 * Lets two operators conclude a payment by information from the bank's staff. The first proposes an outcome
 * and the second confirms it. Their decision never overrides the bank's answers. Before a payment is FAILED,
 * a reversal is sent, which binds its reference; and it is not FAILED while the bank shows the money as
 * charged. A payment that is being reversed becomes SUCCESS only if the bank has refused the reversal, no
 * later reversal may still take effect, and the bank confirms in a further inquiry that the whole charge is
 * valid.
 */
import type { Verdict } from "@holdfast/acquirer";
import { isSamePerson, nameOf, type OperatorContext } from "@holdfast/contracts";
import { sql, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { withCallMs } from "../../bank/calls/bank.ts";
import { askAboutCharge } from "../../bank/ledger/ask-about.ts";
import { chargeOf, isApproved, nameIn, type BankCall } from "../../bank/ledger/bank-call.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { conclude, type AcquirerResult, type FinalOutcome } from "../../payment/authorization-outcome.ts";
import { giveBack, startReversal, type LeasedPayment } from "../../payment/payment-lease.ts";
import { endOfReversal, isBeingReversed, reversalState } from "../../payment/payment.ts";
import { recordWithin } from "../../payment/payment-writes.ts";
import { RESOLVED_CAUSE } from "../../unknown/recovery/decide-recovery.ts";
import { endOf, isInOperation, wait } from "../../unknown/recovery/recover-payment.ts";
import { reversalOf, standsBesideRefund } from "../../unknown/recovery/reversal.ts";
import {
  askWhetherItStands,
  contradictsSuccess,
} from "../../unknown/recovery/check-charge-before-booking.ts";
import { undoPayment } from "../../unknown/recovery/undo-payment.ts";
import { startWatch } from "../../bank/ledger/watch-queries.ts";
import {
  audit,
  describe,
  invalidState,
  lease,
  type OperatorDeps,
  type Problem,
  type Reply,
} from "./operator-request.ts";
import {
  moneyStands,
  refusalOf,
  refusalSaid,
  saysSettled,
  tooYoung,
  undecidedUntil,
} from "./resolution-refusal.ts";
import { finishResolution, RESOLVED, type Confirmed, type Statement } from "./resolution.ts";
import { operationOf, resolveOperation } from "./resolve-operation.ts";

/** Proposes an outcome, or confirms the one another operator has proposed, which concludes the payment. */
export async function resolve(
  deps: OperatorDeps,
  context: OperatorContext,
  { paymentId, outcome, evidence }: { paymentId: string } & Statement,
): Promise<Reply> {
  const proposed = await deps.db
    .transaction()
    .execute((trx) => proposeOrConfirm(deps, trx, context, paymentId, { outcome, evidence }));
  if (proposed === "proposed") return await describe(deps, paymentId);
  if ("outcome" in proposed) return proposed;
  const problem = await carryOut(deps, context, proposed);
  return problem ?? (await describe(deps, paymentId));
}

async function proposeOrConfirm(
  deps: OperatorDeps,
  trx: Transaction<PaymentsDatabase>,
  context: OperatorContext,
  paymentId: string,
  statement: Statement,
): Promise<Problem | "proposed" | Confirmed> {
  const payment = await lease(deps, trx, paymentId);
  if ("outcome" in payment) return payment;
  const refuse = async (problem: Problem): Promise<Problem> => {
    await giveBack(trx, payment);
    return problem;
  };
  const calls = await findCalls(trx, paymentId);
  const operation = isInOperation(payment) ? await operationOf(trx, payment) : undefined;
  const refuseAttempt = async (detail?: string): Promise<Problem> => {
    await audit(trx, context, "payment.resolution_refused", payment, { code: "same_person", detail });
    return await refuse({ outcome: "problem", code: "same_person", ...(detail !== undefined && { detail }) });
  };
  // The issuer is neither of the two: who proposes and who confirms are both asked here.
  const issuers = [payment.credential_issued_by, operation?.credential_issued_by];
  if (issuers.some((issuer) => isSamePerson(issuer, context.operator.person)))
    return await refuseAttempt(ISSUED_BY_YOU);
  const { horizonMs } = deps.bank.termsOf(payment.account_id);
  const problem =
    tooYoung(undecidedUntil(payment, calls, horizonMs, deps.now())) ??
    refusalOf(payment, reversalOf(calls), statement.outcome, horizonMs);
  if (problem) return await refuse(problem);
  const proposal = await trx
    .selectFrom("payment_resolution")
    .selectAll()
    .where("payment_id", "=", paymentId)
    // A statement about the payment, or about an earlier operation, does not apply to this operation.
    .$if(operation !== undefined, (query) => query.where("proposed_at", ">=", operation!.created_at))
    .executeTakeFirst();
  if (proposal?.outcome !== statement.outcome) {
    await propose(trx, context, payment, statement);
    return "proposed";
  }
  if (proposal.proposed_by === context.operator.person) return await refuseAttempt();
  return { payment, statement: { ...statement, proposedBy: nameOf(proposal.proposed_by) } };
}

/** Says why one person is the same as the merchant that asked. */
const ISSUED_BY_YOU = "You issued the credential with which this was requested.";

async function propose(
  trx: Transaction<PaymentsDatabase>,
  context: OperatorContext,
  payment: LeasedPayment,
  { outcome, evidence }: Statement,
): Promise<void> {
  const row = { outcome, evidence, proposed_by: context.operator.person, proposed_at: sql<Date>`now()` };
  await trx
    .insertInto("payment_resolution")
    .values({ payment_id: payment.payment_id, ...row })
    .onConflict((conflict) => conflict.column("payment_id").doUpdateSet(row))
    .execute();
  await giveBack(trx, payment);
  await audit(trx, context, "payment.resolution_proposed", payment, { outcome, evidence });
}

async function carryOut(
  deps: OperatorDeps,
  context: OperatorContext,
  confirmed: Confirmed,
): Promise<Problem | undefined> {
  const { payment, statement } = confirmed;
  if (isInOperation(payment)) return await resolveOperation(deps, context, { payment, statement });
  return statement.outcome === "FAILED"
    ? await fail(deps, context, confirmed)
    : await book(deps, context, confirmed);
}

/** Records SUCCESS unless the bank, asked now, says otherwise; recovery then acts on the bank's answer. */
async function book(
  deps: OperatorDeps,
  context: OperatorContext,
  confirmed: Confirmed,
): Promise<Problem | undefined> {
  const { payment } = confirmed;
  const calls = await findCalls(deps.db, payment.payment_id);
  const charge = chargeOf(calls);
  if (isBeingReversed(payment.state)) {
    // A reversal that was sent after the refusal and not answered may have been carried out.
    const { stands, cause, shown } = await askWhetherItStands(deps, payment, calls);
    if (stands) return await recordSuccess(deps, context, confirmed, namedBy(payment, shown, charge));
    await wait(deps, payment, { cause, next: "now" });
    return { outcome: "problem", code: "reversal_pending" };
  }
  const inquiry = await askAboutCharge(deps, payment, calls);
  if (!contradictsSuccess(payment, inquiry))
    return await recordSuccess(deps, context, confirmed, namedBy(payment, inquiry, charge));
  await wait(deps, payment, { cause: inquiry.kind, next: "now" });
  return invalidState(payment);
}

async function recordSuccess(
  deps: OperatorDeps,
  context: OperatorContext,
  confirmed: Confirmed,
  named: BankName,
): Promise<undefined> {
  const result = { ...RESOLVED, ...named };
  await record(deps, context, confirmed, { to: "SUCCESS", cause: RESOLVED_CAUSE, result });
  return undefined;
}

type BankName = Pick<AcquirerResult, "externalTransactionId" | "authCode">;

/** The bank's name and code of the charge, as it shows them, or as it gave them: a refund is made by them. */
function namedBy(
  payment: Pick<LeasedPayment, "external_transaction_id">,
  shown: Verdict | undefined,
  charge: BankCall | undefined,
): BankName {
  if (shown?.kind === "approved")
    return { externalTransactionId: nameIn(shown), authCode: shown.authCode || null };
  if (charge && isApproved(charge))
    return { externalTransactionId: charge.external_transaction_id, authCode: charge.auth_code };
  return { externalTransactionId: payment.external_transaction_id, authCode: null };
}

/**
 * Commits the decision to reverse, sends a reversal, and records the end unless the bank says that the money
 * stays charged.
 */
async function fail(
  operatorDeps: OperatorDeps,
  context: OperatorContext,
  { payment, statement }: Confirmed,
): Promise<Problem | undefined> {
  // Three calls end before the lease does.
  const { bank, limits } = operatorDeps;
  const deps = { ...operatorDeps, bank: withCallMs(bank, Math.min(bank.callMs, limits.leaseMs / 4)) };
  const reversing = isBeingReversed(payment.state)
    ? payment
    : await deps.db.transaction().execute(async (trx) => {
        const started = await startReversal(trx, payment, RESOLVED_CAUSE);
        if (started) await audit(trx, context, "payment.reversal_decided", payment, { from: payment.state });
        return started;
      });
  if (!reversing) return { outcome: "problem", code: "operation_in_progress" };
  const confirmed = { payment: reversing, statement };
  const undone = await undoPayment(deps, reversing);
  if (undone.kind === "undone") {
    await record(deps, context, confirmed, endOf(reversing, undone));
    return undefined;
  }
  const endByEvidence = async (): Promise<undefined> => {
    const to = endOfReversal(reversalState(reversing.state));
    // Evidence of people: the bank is asked once more when its day is over.
    await startWatch(deps, reversing);
    await record(deps, context, confirmed, { to, cause: RESOLVED_CAUSE, result: RESOLVED });
  };
  const reversal = reversalOf(await findCalls(deps.db, payment.payment_id));
  const { horizonMs } = deps.bank.termsOf(payment.account_id);
  if (reversal && standsBesideRefund(reversal, undone.cause, horizonMs)) return await endByEvidence();
  const stands = reversal && moneyStands(reversal);
  if (stands || !reversal?.is_sent) {
    await wait(deps, reversing, undone);
    return stands ? saysSettled(refusalSaid(reversal)) : { outcome: "problem", code: "reversal_pending" };
  }
  // The bank may still know the outcome of a reversal that was not answered; only where it does not, the evidence
  // counts.
  const inquiry = await askAboutCharge(deps, payment, []);
  if (inquiry.kind === "reversed") {
    await record(deps, context, confirmed, endOf(reversing, { kind: "undone", by: "reversal" }));
    return undefined;
  }
  if (inquiry.kind === "approved") {
    await wait(deps, reversing, undone);
    return { outcome: "problem", code: "reversal_pending" };
  }
  return await endByEvidence();
}

async function record(
  deps: OperatorDeps,
  context: OperatorContext,
  confirmed: Confirmed,
  final: FinalOutcome,
): Promise<void> {
  const { change } = conclude(confirmed.payment, final, { keyed: true, at: deps.now() });
  await deps.db.transaction().execute(async (trx) => {
    if (await recordWithin(trx, change)) await finishResolution(trx, context, confirmed);
  });
}
