import { decideReplay, findIdempotencyKey } from "@holdfast/idempotency";
import { findRefund } from "../refund/refund-queries.ts";
import { refundRecord } from "../refund/refund-record.ts";
import type { RefundRequest, Reply, RequestRefundDeps } from "./request-refund.ts";

type Deps = Pick<RequestRefundDeps, "db" | "now">;

/**
 * The gateway sent the message again because it lost the connection: wait for the first one's end.
 * @returns undefined when the refund is gone, having been refused or undone: `payments` then says the same again.
 */
export async function answerCopy(
  { db, now }: Deps,
  { refundId, merchantId, deadlineAt }: RefundRequest,
): Promise<Reply | undefined> {
  for (;;) {
    const refund = await findRefund(db, refundId, merchantId);
    if (!refund) return now() > deadlineAt ? { outcome: "in_doubt" } : undefined;
    if (refund.state !== "RESERVING") return { outcome: "done", result: refundRecord(refund) };
    if (now() + COPY_POLL_MS > deadlineAt) return { outcome: "in_doubt" };
    await new Promise((resolve) => setTimeout(resolve, COPY_POLL_MS));
  }
}

const COPY_POLL_MS = 100;

/**
 * The merchant sent the request again under its Idempotency-Key.
 * @returns undefined when the key has been forgotten meanwhile.
 */
export async function answerRepetition(
  deps: Deps,
  request: RefundRequest,
  { key, scope, fingerprint }: { key: string; scope: string; fingerprint: Buffer },
): Promise<Reply | undefined> {
  const { merchantId, refundId, deadlineAt } = request;
  const taken = await findIdempotencyKey(deps.db, { merchantId, key, scope });
  if (!taken) return deps.now() > deadlineAt ? IN_USE : undefined;
  const decision = decideReplay(taken, { fingerprint, resourceId: refundId });
  switch (decision.kind) {
    case "copy":
      return await answerCopy(deps, request);
    case "reused":
      return { outcome: "problem", code: "idempotency_key_reused" };
    case "answer": {
      const reply = JSON.parse(decision.json) as Extract<Reply, { outcome: "done" | "problem" }>;
      return decision.replayed ? { ...reply, replayed: true } : reply;
    }
    case "unfinished":
      // Not shown yet, and either it soon is or the key is forgotten with it.
      return IN_USE;
    default:
      return decision satisfies never;
  }
}

const IN_USE: Reply = { outcome: "problem", code: "idempotency_key_in_use" };
