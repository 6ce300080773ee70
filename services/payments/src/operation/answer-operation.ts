import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { decideReplay, findIdempotencyKey } from "@holdfast/idempotency";
import { pause } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { replay } from "../authorization/answer-repetition.ts";
import type { PaymentsDatabase } from "../database.ts";
import { findPayment } from "../payment/payment-queries.ts";
import { paymentRecord } from "../payment/payment-record.ts";
import { findOperation, replyOf, type Operation, type OperationEnd } from "./operation-queries.ts";

type Deps = { db: Kysely<PaymentsDatabase>; now: () => number };
type Reply = CommandReply<ApiPaymentResponse>;
type Asked = { paymentId: string; merchantId: string | undefined; operationId: string; deadlineAt: number };

/** The gateway sent the message again because it lost the connection: wait for the first one's end. */
export async function answerOperationCopy(deps: Deps, asked: Asked): Promise<Reply> {
  for (;;) {
    const reply = await operationState(deps, asked, asked.operationId);
    if (reply.outcome !== "pending" || deps.now() + COPY_POLL_MS > asked.deadlineAt) return reply;
    await pause(COPY_POLL_MS);
  }
}

const COPY_POLL_MS = 200;

/** The merchant sent the request again under its Idempotency-Key. */
export async function answerOperationRepetition(
  deps: Deps,
  asked: Asked,
  { key, scope, fingerprint }: { key: string; scope: string; fingerprint: Buffer },
): Promise<Reply> {
  const merchantId = asked.merchantId!;
  const taken = await findIdempotencyKey(deps.db, { merchantId, key, scope });
  if (!taken) return IN_USE;
  const decision = decideReplay(taken, { fingerprint, resourceId: asked.operationId });
  switch (decision.kind) {
    case "copy":
      return await answerOperationCopy(deps, asked);
    case "reused":
      return { outcome: "problem", code: "idempotency_key_reused" };
    case "answer":
      return replay(decision);
    case "unfinished": {
      const payment = await findPayment(deps.db, merchantId, asked.paymentId);
      if (!payment || payment.lease_is_live) return IN_USE;
      return await operationState(deps, asked, decision.resourceId);
    }
    default:
      return decision satisfies never;
  }
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
