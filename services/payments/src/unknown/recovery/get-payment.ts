import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { withCallMs } from "../../bank/calls/bank.ts";
import { findPayment, type FoundPayment } from "../../payment/payment-queries.ts";
import { isUnsettled } from "../../payment/payment.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import { attemptRecovery, type RecoverDeps } from "./recover-payment.ts";
import { leaseUnsettled } from "../../payment/payment-lease.ts";

export type GetPaymentDeps = RecoverDeps & { limits: { leaseMs: number } };

/**
 * Reads one payment of the calling merchant. If its outcome is unknown and no process works on it, this read
 * asks the acquirer now, at most once every {@link REST_MS} and for a short time. It only inquires: the
 * worker sends everything that has to be sent, with the time that it needs.
 */
export async function getPayment(
  deps: GetPaymentDeps,
  merchantId: string,
  paymentId: string,
): Promise<CommandReply<ApiPaymentResponse>> {
  let payment = await findPayment(deps.db, merchantId, paymentId);
  if (payment && isInDoubt(payment) && !payment.lease_is_live) {
    // A merchant whose permits are all in use gets the recorded state; recovery asks the bank in any case.
    const release = deps.bank.permitsOf(payment.account_id).take(merchantId);
    if (release && (await inquire(deps, paymentId).finally(release)))
      payment = await findPayment(deps.db, merchantId, paymentId);
  }
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  return { outcome: "done", result: paymentRecord(payment) };
}

/** @returns whether the payment was asked about, and so may have changed. */
async function inquire(deps: GetPaymentDeps, paymentId: string): Promise<boolean> {
  const [leased] = await leaseUnsettled(deps.db, {
    leaseMs: deps.limits.leaseMs,
    paymentId,
    restMs: REST_MS,
  });
  if (!leased) return false;
  await attemptRecovery({ ...deps, bank: withCallMs(deps.bank, PATIENCE_MS), maySend: false }, leased);
  return true;
}

function isInDoubt({ state, operation_id }: FoundPayment): boolean {
  return isUnsettled(state) || operation_id !== null;
}

/** Least time between the payment's last write and a reader's inquiry. */
const REST_MS = 2_000;

/** A reader waits at most this long for each of the two calls an attempt may make. */
const PATIENCE_MS = 2_000;
