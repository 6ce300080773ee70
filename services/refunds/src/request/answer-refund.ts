import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { answerRepetition, awaitFirst } from "@holdfast/idempotency";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import { findRefund } from "../refund/refund-queries.ts";
import { refundRecord } from "../refund/refund-record.ts";

type Deps = { db: Kysely<RefundsDatabase>; now: () => number };
type Reply = CommandReply<ApiPaymentResponse>;
type Asked = { refundId: string; merchantId: string; deadlineAt: number };

/**
 * Waits for the end of the first copy of a message that the gateway sent again because it lost the connection.
 * @returns undefined when the refund was refused or undone: sent again, it gets the same answer from `payments`.
 */
export async function answerRefundCopy(
  { db, now }: Deps,
  { refundId, merchantId, deadlineAt }: Asked,
): Promise<Reply | undefined> {
  const refund = await awaitFirst(
    () => findRefund(db, refundId, merchantId),
    (found) => found?.state === "RESERVING",
    { until: deadlineAt, now },
  );
  if (!refund && now() <= deadlineAt) return undefined;
  if (!refund || refund.state === "RESERVING") return { outcome: "in_doubt" };
  return { outcome: "done", result: refundRecord(refund) };
}

/**
 * The merchant sent the request again under its Idempotency-Key.
 * @returns undefined when the key has been deleted meanwhile.
 */
export async function answerRefundRepetition(
  deps: Deps,
  asked: Asked,
  { key, scope, fingerprint }: { key: string; scope: string; fingerprint: Buffer },
): Promise<Reply | undefined> {
  const owner = { merchantId: asked.merchantId, key, scope };
  const mine = { fingerprint, resourceId: asked.refundId };
  return await answerRepetition(deps.db, owner, mine, {
    free: () => (deps.now() > asked.deadlineAt ? IN_USE : undefined),
    copy: () => answerRefundCopy(deps, asked),
    // The first is not shown yet: either it soon is, or its key is deleted with it.
    unfinished: () => IN_USE,
  });
}

const IN_USE: Reply = { outcome: "problem", code: "idempotency_key_in_use" };
