import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { answerRepetition, awaitFirst } from "@holdfast/idempotency";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { findPayment } from "../../payment/payment-queries.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import { findOperation, replyOf, type Operation, type OperationEnd } from "./operation-queries.ts";

type Deps = { db: Kysely<PaymentsDatabase>; now: () => number };
type Reply = CommandReply<ApiPaymentResponse>;
type Asked = { paymentId: string; merchantId: string | undefined; operationId: string; deadlineAt: number };

/** The key that an operation came with, and the request's fingerprint under each key of the ring. */
export type OperationKey = { scope: string; key: string; fingerprint: Buffer; older: readonly Buffer[] };

/**
 * Waits for the end of the first copy of a message that the gateway sent again because it lost the
 * connection.
 */
export async function answerOperationCopy(deps: Deps, asked: Asked): Promise<Reply> {
  return await awaitFirst(
    () => operationState(deps, asked, asked.operationId),
    (reply) => reply.outcome === "pending",
    { until: asked.deadlineAt, now: deps.now },
  );
}

/** The merchant sent the request again under its Idempotency-Key. */
export async function answerOperationRepetition(
  deps: Deps,
  asked: Asked,
  { key, scope, fingerprint, older }: OperationKey,
): Promise<Reply> {
  const merchantId = asked.merchantId!;
  const mine = { fingerprint, older, resourceId: asked.operationId };
  return await answerRepetition<PaymentsDatabase, ApiPaymentResponse>(
    deps.db,
    { merchantId, key, scope },
    mine,
    {
      free: () => IN_USE,
      copy: () => answerOperationCopy(deps, asked),
      unfinished: async (operationId) => {
        const payment = await findPayment(deps.db, merchantId, asked.paymentId);
        if (!payment || payment.lease_is_live) return IN_USE;
        return await operationState(deps, asked, operationId);
      },
    },
  );
}

const IN_USE: Reply = { outcome: "problem", code: "idempotency_key_in_use" };

async function operationState(
  { db }: Deps,
  { paymentId, merchantId }: Asked,
  operationId: string,
): Promise<Reply> {
  const operation = await findOperation(db, operationId);
  const payment = await findPayment(db, merchantId ?? "", paymentId);
  if (!operation || !payment) return { outcome: "not_started" };
  const end = endOf(operation);
  return end ? replyOf(payment, end) : { outcome: "pending", result: paymentRecord(payment) };
}

function endOf({ state, result_code, result_message }: Operation): OperationEnd | undefined {
  if (state === "IN_FLIGHT") return undefined;
  if (state === "DROPPED") return { state };
  return { state, resultCode: result_code ?? "", resultMessage: result_message ?? "" };
}
