import { randomUUID } from "node:crypto";
import {
  readRefundableAmounts,
  readRefundSending,
  releaseRefund,
  reserveRefund,
  settleRefund,
  type CommandReply,
  type OperatorRefund,
  type RefundReservation,
  type ServiceContext,
} from "@holdfast/contracts";
import { MessageRejectedError, request, type Bus } from "@holdfast/messaging";
import type { RefundRow } from "./refund/refund-record.ts";

type OneRefund = Pick<
  RefundRow,
  "refund_id" | "payment_id" | "merchant_id" | "amount_minor" | "currency" | "traceparent"
>;
type AskedRefund = OneRefund & Pick<RefundRow, "requested_by" | "credential_issued_by">;

/**
 * The commands to `payments`, which keeps the payment's status and amounts. None throws because of the bus or
 * `payments`: a missing answer is `in_doubt`. All are idempotent by the refund's id.
 */
export type PaymentsPort = {
  /** @param deadlineAt epoch milliseconds. */
  reserve(refund: AskedRefund, deadlineAt: number): Promise<CommandReply<RefundReservation>>;
  settle(refund: OneRefund): Promise<CommandReply<{ refundId: string }>>;
  release(refund: OneRefund): Promise<CommandReply<{ refundId: string }>>;
  /** The time until which a sent refund may still take effect at the bank. */
  sending(refund: OneRefund): Promise<CommandReply<{ arrivesUntil?: string | undefined }>>;
  /** The amounts that can still be refunded, by payment id, for the payments it knows. */
  remaining(
    context: Pick<ServiceContext, "requestId" | "deadlineAt">,
    paymentIds: string[],
  ): Promise<Map<string, Remaining>>;
};

/** The amount of a payment that can still be refunded, the approvals that its refunds need, and its other amounts. */
export type Remaining = {
  amount: number;
  approvalsRequired: 1 | 2;
  ofPayment: NonNullable<OperatorRefund["ofPayment"]>;
};

export function createPaymentsPort(bus: Bus, { timeoutMs }: { timeoutMs: number }): PaymentsPort {
  const options = ({ merchant_id, traceparent }: OneRefund, deadlineAt: number) => ({
    context: { requestId: randomUUID(), deadlineAt, merchant: { merchantId: merchant_id } },
    wire: { waitUntil: deadlineAt, traceparent: traceparent ?? "" },
  });
  const end = (command: typeof settleRefund, refund: OneRefund) => {
    const { context, wire } = options(refund, Date.now() + timeoutMs);
    return answered(() => request(bus, command, context, { refundId: refund.refund_id }, wire));
  };
  return {
    reserve(refund, deadlineAt) {
      const { context, wire } = options(refund, deadlineAt);
      const payload = {
        refundId: refund.refund_id,
        paymentId: refund.payment_id,
        amountMinor: refund.amount_minor.toString(),
        currency: refund.currency,
        askedBy: [refund.requested_by, refund.credential_issued_by].filter((person) => person !== null),
      };
      return answered(() => request(bus, reserveRefund, context, payload, wire));
    },
    sending({ refund_id: refundId, payment_id: paymentId, traceparent }) {
      const deadlineAt = Date.now() + timeoutMs;
      const context = { requestId: randomUUID(), deadlineAt, service: { name: "refunds" } };
      const wire = { waitUntil: deadlineAt, traceparent: traceparent ?? "" };
      return answered(() => request(bus, readRefundSending, context, { refundId, paymentId }, wire));
    },
    settle: (refund) => end(settleRefund, refund),
    release: (refund) => end(releaseRefund, refund),
    async remaining({ requestId, ...context }, paymentIds) {
      const deadlineAt = Math.min(context.deadlineAt, Date.now() + timeoutMs);
      const reply = await answered(() =>
        request(
          bus,
          readRefundableAmounts,
          { requestId, deadlineAt, service: { name: "refunds" } },
          { paymentIds: [...new Set(paymentIds)] },
          { waitUntil: deadlineAt, traceparent: "" },
        ),
      );
      if (reply.outcome !== "done") return new Map();
      return new Map(reply.result.items.map((item) => [item.paymentId, item]));
    },
  };
}

/** The reply to a request; a missing one is `in_doubt`. */
export async function answered<Result>(
  send: () => Promise<CommandReply<Result>>,
): Promise<CommandReply<Result>> {
  try {
    return await send();
  } catch (error) {
    // The other side could not read it: a bug, and nothing was started.
    return { outcome: error instanceof MessageRejectedError ? "not_started" : "in_doubt" };
  }
}
