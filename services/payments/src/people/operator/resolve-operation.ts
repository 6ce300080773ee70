/**
 * Two operators end a capture or a cancellation of unknown outcome: SUCCESS means that the bank did it, FAILED that it did
 * not. The bank is asked once more, and what it knows is recorded whatever people say.
 */
import type { Verdict } from "@holdfast/acquirer";
import type { OperatorContext } from "@holdfast/contracts";
import { isApproved, type BankCall } from "../../bank/ledger/bank-call.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { callsOf, inquire } from "../../bank/ledger/movement.ts";
import { endOfDecline, leaveToRecovery } from "../../follow-up/operation/conclude-operation.ts";
import {
  findOperation,
  finishOperation,
  type Operation,
  type OperationEnd,
  type PaymentInOperation,
} from "../../follow-up/operation/operation-queries.ts";
import { movementOf } from "../../follow-up/operation/start-operation.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import { causeOf } from "../../unknown/recovery/undo-payment.ts";
import { watchUnanswered } from "../../bank/ledger/watch-queries.ts";
import { invalidState, type OperatorDeps, type Problem } from "./operator-request.ts";
import { saysSettled } from "./resolution-refusal.ts";
import { finishResolution, RESOLVED, type Confirmed, type Outcome } from "./resolution.ts";

export async function resolveOperation(
  deps: OperatorDeps,
  context: OperatorContext,
  { payment, statement }: Confirmed & { payment: LeasedPayment & PaymentInOperation },
): Promise<Problem | undefined> {
  const operation = await operationOf(deps.db, payment);
  const calls = await findCalls(deps.db, payment.payment_id);
  const inquiry = await inquire(deps, payment, movementOf(operation), calls);
  const said = bankSays(inquiry, callsOf(calls, movementOf(operation)));
  const decision = decideEnd(payment, operation, said, statement.outcome);
  if ("outcome" in decision) {
    await leaveToRecovery(deps, payment, operation, said.isDone ? "mismatch" : causeOf(inquiry));
    return decision;
  }
  const { booked, ...decided } = decision;
  const end = decided.state === "DECLINED" ? await endOfDecline(deps, payment, operation, decided) : decided;
  await deps.db.transaction().execute(async (trx) => {
    const reply = await finishOperation(trx, payment, { ...operation, ...booked }, end);
    if (!reply) return;
    if (end.state === "DECLINED")
      await watchUnanswered({ ...deps, db: trx }, payment, operation.operation_id);
    await finishResolution(trx, context, { payment, statement });
  });
  const isRefuted = decided.state === "DONE" && statement.outcome === "FAILED";
  return isRefuted ? saysSettled(decided) : undefined;
}

/** The bank's word on an operation, now or before; `isDone` without an amount where it shows more than one movement. */
export type Said = {
  isDone?: boolean;
  amount?: { amountMinor: bigint; currency: string };
  result?: { resultCode: string; resultMessage: string };
};

/** An approval that the bank has given once counts until it shows that it was reversed. */
export function bankSays(
  inquiry: Verdict,
  calls: readonly Pick<
    BankCall,
    | "outcome"
    | "heard_at"
    | "amount_minor"
    | "currency"
    | `approved_${"minor" | "currency"}`
    | `result_${"code" | "message"}`
  >[],
): Said {
  if (inquiry.kind === "approved") {
    const { amountMinor, currency, resultCode, resultMessage } = inquiry;
    return { isDone: true, amount: { amountMinor, currency }, result: { resultCode, resultMessage } };
  }
  const heard = calls.findLast(isApproved);
  if (heard && inquiry.kind !== "reversed") {
    const isConfirmed = heard.outcome === "approved";
    // An answer without an amount, which the bank's record has not shown.
    if (!isConfirmed && heard.approved_minor === null) return { isDone: true };
    const amountMinor = heard.approved_minor ?? heard.amount_minor;
    const currency = heard.approved_currency ?? heard.currency;
    const result = { resultCode: heard.result_code ?? "", resultMessage: heard.result_message ?? "" };
    return { isDone: true, amount: { amountMinor, currency }, ...(isConfirmed && { result }) };
  }
  if (inquiry.kind === "declined") {
    const { resultCode, resultMessage } = inquiry;
    return { isDone: false, result: { resultCode, resultMessage } };
  }
  return inquiry.kind === "unknown" && inquiry.reason === "mismatch" ? { isDone: true } : {};
}

type Booked = Pick<Operation, "amount_minor" | "commission_minor">;
type End = Exclude<OperationEnd, { state: "DROPPED" }>;

/**
 * Decides without any I/O. A capture in another amount is booked with the bank's amount; operators cannot
 * book less, or more. A cancellation or an expiry that the bank has carried out in another amount is done:
 * nothing else can end it.
 */
export function decideEnd(
  payment: Pick<LeasedPayment, "state" | "amount_minor" | "released_minor" | "currency">,
  operation: Pick<Operation, "kind"> & Booked,
  { isDone, amount, result }: Said,
  outcome: Outcome,
): (End & { booked?: Booked }) | Problem {
  const { resultCode, resultMessage } = result ?? RESOLVED;
  const isWhole = amount?.amountMinor === operation.amount_minor && amount.currency === payment.currency;
  if (isDone === false) return { state: "DECLINED", resultCode, resultMessage };
  if (isDone && isWhole) return { state: "DONE", resultCode, resultMessage };
  if (outcome === "FAILED")
    return isDone ? saysSettled(result) : { state: "DECLINED", resultCode, resultMessage };
  if (!amount) return { state: "DONE", resultCode, resultMessage };
  if (amount.currency !== payment.currency) return invalidState(payment);
  if (operation.kind !== "CAPTURE") return { state: "DONE", resultCode, resultMessage };
  const isCapturable = amount.amountMinor <= payment.amount_minor - payment.released_minor;
  if (!isCapturable) return invalidState(payment);
  return { state: "DONE", resultCode, resultMessage, booked: inAmount(operation, amount.amountMinor) };
}

/**
 * The plan of the capture's request is no longer known: the commission is in proportion to the amount,
 * rounded half up.
 */
function inAmount({ amount_minor, commission_minor }: Booked, minor: bigint): Booked {
  const share = (2n * commission_minor * minor + amount_minor) / (2n * amount_minor);
  return { amount_minor: minor, commission_minor: share };
}

export async function operationOf(db: OperatorDeps["db"], payment: PaymentInOperation) {
  const operation = await findOperation(db, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  return operation;
}
