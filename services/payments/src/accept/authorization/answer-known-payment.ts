import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import {
  answerAtOnce,
  answerRepetition,
  awaitFirst,
  findIdempotencyKey,
  replay,
} from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { findPayment, type FoundPayment } from "../../payment/payment-queries.ts";
import { isUnsettled } from "../../payment/payment.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import type { UnroutedClaim } from "../../payment/payment-statements.ts";
import { findUndecided, orderUndecided } from "../../payment/undecided-order.ts";

type Deps = { db: Kysely<PaymentsDatabase>; now: () => number };
type Reply = CommandReply<ApiPaymentResponse>;

/**
 * Answers a request whose payment or Idempotency-Key exists already. The gateway's copy of a message waits
 * for the end of the first one. The merchant's repetition gets the stored answer, or 409 while the first
 * request is running, or 202 with the payment as it is when no process works on it.
 */
export async function answerKnownPayment(
  deps: Deps,
  message: Incoming<unknown>,
  row: UnroutedClaim,
  read: ReadState = currentState,
): Promise<Reply> {
  const { idempotency, merchant, deadlineAt } = message.context;
  const copy = () => answerCopy(deps, row, deadlineAt, read);
  if (!idempotency) return await copy();
  const owner = { merchantId: merchant.merchantId, ...idempotency };
  const mine = {
    fingerprint: row.idempotency_fingerprint!,
    older: row.older_idempotency_fingerprints,
    resourceId: row.payment_id,
  };
  return await answerRepetition(deps.db, owner, mine, {
    // One payment id came under two keys: its row is the answer.
    free: copy,
    copy,
    unfinished: (paymentId) =>
      answerUnfinished(deps, { ...row, payment_id: paymentId }, read, async () => {
        const again = await findIdempotencyKey(deps.db, owner);
        return again?.answer?.toString("utf8");
      }),
  });
}

/**
 * Refuses a request before anything is claimed; a repetition under the same key gets the same answer. If the
 * message's payment exists already, its answer is returned instead, because BINs and prices may have changed
 * since. An order whose first payment is undecided gets that payment's id instead, as it would without a
 * refusal.
 */
export async function answerRefusal(
  deps: Deps,
  message: Incoming<unknown>,
  row: UnroutedClaim,
  { reply, read }: { reply: Extract<Reply, { outcome: "problem" }>; read: ReadState | undefined },
): Promise<Reply> {
  const { idempotency, merchant } = message.context;
  const undecided = await findUndecided(deps.db, row);
  if (undecided !== undefined) return orderUndecided(undecided);
  if (!idempotency) {
    const isKnown = (await currentState(deps, row)) !== undefined;
    return isKnown ? await answerKnownPayment(deps, message, row, read) : reply;
  }
  const key = { ...idempotency, merchantId: merchant.merchantId };
  const fingerprint = row.idempotency_fingerprint!;
  const stored = await answerAtOnce(deps.db, key, { fingerprint, resourceId: row.payment_id, reply });
  return stored ? reply : await answerKnownPayment(deps, message, row, read);
}

/** @param storedAnswer reads the key once more: the first request may have been answered since it was read. */
async function answerUnfinished(
  deps: Deps,
  key: PaymentKey,
  read: ReadState,
  storedAnswer: () => Promise<string | undefined>,
): Promise<Reply> {
  const payment = await findPayment(deps.db, key.merchant_id, key.payment_id);
  if (!payment || payment.lease_is_live) return { outcome: "problem", code: "idempotency_key_in_use" };
  const json = await storedAnswer();
  if (json !== undefined) return replay({ json, replayed: true });
  const reply = (await read(deps, key)) ?? replyOf(payment);
  return reply.outcome === "done" ? { ...reply, replayed: true } : reply;
}

/** The gateway sent the message again because it lost the connection. The first one may still be at work. */
async function answerCopy(
  deps: Deps,
  payment: PaymentKey,
  deadlineAt: number,
  read: ReadState,
): Promise<Reply> {
  const reply = await awaitFirst(
    () => read(deps, payment),
    (found) => found?.outcome === "pending",
    { until: deadlineAt, now: deps.now },
  );
  return reply ?? { outcome: "problem", code: "payment_not_found" };
}

type PaymentKey = { payment_id: string; merchant_id: string };

/** Reads a payment as its kind of request is answered. */
export type ReadState = (
  deps: Pick<Deps, "db">,
  payment: PaymentKey,
) => Promise<Extract<Reply, { result: unknown }> | undefined>;

/** The payment as it is: `pending` while its outcome is unknown. */
export async function currentState(
  { db }: Pick<Deps, "db">,
  { payment_id, merchant_id }: PaymentKey,
): Promise<Extract<Reply, { result: unknown }> | undefined> {
  const payment = await findPayment(db, merchant_id, payment_id);
  return payment && replyOf(payment);
}

function replyOf(payment: FoundPayment): Extract<Reply, { result: unknown }> {
  const outcome = isUnsettled(payment.state) ? "pending" : "done";
  return { outcome, result: paymentRecord(payment) };
}
