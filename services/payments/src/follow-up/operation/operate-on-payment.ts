/**
 * A capture, a cancellation or an expiry, in the three phases of every payment: claim (a decision on the locked row,
 * committed with a lease), call the acquirer, record. The payment keeps its state until the acquirer's answer is known.
 * An unknown answer is never called a decline and never reversed: recovery asks about the same reference and repeats it
 * until the answer is known, since a shipped order must not lose its money.
 */
import { waitFor } from "@holdfast/acquirer";
import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { forgetKey, storeAnswer, takeIdempotencyKey } from "@holdfast/idempotency";
import { certainlyNotCommitted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { answerOperationCopy, answerOperationRepetition, type OperationKey } from "./answer-operation.ts";
import { noteAnswer } from "../../bank/ledger/call-queries.ts";
import { sendBegun } from "../../bank/ledger/movement.ts";
import { concludeOperation, endOperation, type ConcludeOperationDeps } from "./conclude-operation.ts";
import { lockPayment } from "../../payment/payment-queries.ts";
import { findOperation } from "./operation-queries.ts";
import { movementOf, startOperation, type NewOperation, type StartedOperation } from "./start-operation.ts";
import type { OperationDecision, OperationKind, Refused } from "./payment-operation.ts";

export type OperateDeps = ConcludeOperationDeps & { limits: { leaseMs: number } };
type Reply = CommandReply<ApiPaymentResponse>;

/** One operation as its caller requests it. */
export type OperationRequest = {
  paymentId: string;
  /** Undefined for an expiry, which no merchant requests. */
  merchantId: string | undefined;
  operationId: string;
  kind: OperationKind;
  reason: string | null;
  traceparent: string | null;
  /** The operator who issued the credential that the merchant asks with, if that is known and a merchant asks. */
  credentialIssuedBy: string | undefined;
  /** Epoch milliseconds. */
  deadlineAt: number;
  idempotency: OperationKey | undefined;
  decide: (payment: PaymentRow) => OperationDecision;
  commissionMinor: (payment: PaymentRow, amountMinor: bigint) => bigint;
  /** Further writes of the transaction that starts the operation, such as a line of the audit log. */
  whenStarted?: ((trx: Transaction<PaymentsDatabase>, payment: PaymentRow) => Promise<void>) | undefined;
};

export async function operateOnPayment(deps: OperateDeps, request: OperationRequest): Promise<Reply> {
  const claim = await claimOperation(deps, request);
  switch (claim.kind) {
    case "refused":
      return claim.reply;
    case "copy":
      return await answerOperationCopy(deps, request);
    case "repetition":
      return await answerOperationRepetition(deps, request, request.idempotency!);
    case "claimed":
      break;
    default:
      return claim satisfies never;
  }
  const { payment, operation, call } = claim;
  if (deps.now() > request.deadlineAt) {
    const { capabilities } = deps.bank.of(payment.account_id);
    await noteAnswer(deps.db, call, { kind: "not_sent" }, capabilities);
    return await endOperation(deps, payment, operation, { state: "DROPPED" });
  }
  const until = new Date(Math.min(deps.now() + deps.bank.callMs, request.deadlineAt));
  const movement = { ...movementOf(operation), call, subReference: 1 };
  const outcome = await sendBegun(deps, payment, movement, until).catch((error: unknown) => {
    deps.events.writeFailed("record", payment, error);
    return LOST;
  });
  await failpoint("payments.operation_after_acquirer");
  // Nothing was sent before this call, so nothing has happened at the acquirer.
  if (outcome.kind === "not_sent") {
    const waitMs = waitFor(outcome.notBefore, { stepMs: 0, now: deps.now() });
    return await endOperation(deps, payment, operation, { state: "DROPPED", waitMs });
  }
  return await concludeOperation(deps, payment, operation, { outcome, subReference: 1 });
}

/** The bank's answer could not be noted: an inquiry brings it again. */
const LOST = { kind: "unknown", reason: "connection_lost" } as const;

type Claim =
  | ({ kind: "claimed" } & StartedOperation)
  | { kind: "refused"; reply: Reply }
  | { kind: "copy" }
  | { kind: "repetition" };

async function claimOperation(deps: OperateDeps, request: OperationRequest): Promise<Claim> {
  const { db, limits, events } = deps;
  try {
    const claim = await db.transaction().execute(async (trx): Promise<Claim> => {
      const { operationId, merchantId, idempotency } = request;
      if (idempotency && merchantId !== undefined) {
        const owner = { merchantId, ...idempotency };
        const taken = await takeIdempotencyKey(trx, owner, { ...idempotency, resourceId: operationId });
        if (!taken) return { kind: "repetition" };
      }
      const payment = await lockPayment(trx, request.paymentId, merchantId);
      // This is read under the lock: a simultaneous copy waits for the first one's claim.
      if (await findOperation(trx, operationId)) return { kind: "copy" };
      const decision = payment ? request.decide(payment) : NOT_FOUND;
      if (!payment || "outcome" in decision) {
        const reply = decision as Refused;
        if (STORED_REFUSALS.has(reply.code)) await storeAnswer(trx, operationId, reply);
        else await forgetKey(trx, operationId);
        return { kind: "refused", reply };
      }
      const operation = newOperation(request, payment, decision.amountMinor);
      const started = await startOperation(trx, payment, operation, limits.leaseMs);
      await request.whenStarted?.(trx, payment);
      return { kind: "claimed", ...started };
    });
    await failpoint("payments.operation_after_claim");
    return claim;
  } catch (error) {
    events.writeFailed(
      "claim",
      { payment_id: request.paymentId, merchant_id: request.merchantId ?? "" },
      error,
    );
    return { kind: "refused", reply: { outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" } };
  }
}

const NOT_FOUND: Refused = { outcome: "problem", code: "payment_not_found" };

/** Refusals with 409 and 422 without Retry-After; a refusal that may change in a moment is not stored. */
const STORED_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_payment_state",
  "already_refunded",
  "capture_amount_exceeds_authorized",
  "currency_mismatch",
]);

function newOperation(request: OperationRequest, payment: PaymentRow, amountMinor: bigint): NewOperation {
  return {
    operation_id: request.operationId,
    kind: request.kind,
    amount_minor: amountMinor,
    commission_minor: request.commissionMinor(payment, amountMinor),
    reason: request.reason,
    traceparent: request.traceparent,
    credential_issued_by: request.credentialIssuedBy ?? null,
  };
}
