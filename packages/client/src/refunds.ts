import { carryOut } from "./carry-out.ts";
import type { Settings } from "./options.ts";
import type { RefundOutcome } from "./outcomes.ts";
import { unfinished } from "./payment-outcome.ts";
import type { Payment } from "./payment-records.ts";
import { read } from "./read.ts";
import { readList } from "./read-list.ts";
import { keyOf, idInPath, requestBody } from "./request-body.ts";
import type { CallOptions, RefundRequest } from "./requests.ts";

export type Refunds = {
  /**
   * Requests a refund, which an operator of the gateway has to approve. Its end comes by webhook, and to
   * `payments.waitForOutcome` under the refund's own `paymentId`.
   */
  request(paymentId: string, request: RefundRequest, options?: CallOptions): Promise<RefundOutcome>;
  /** @throws HoldfastError `payment_not_found` among others. */
  get(refundId: string): Promise<Payment>;
  /** The refunds of one payment, newest first. @throws HoldfastError while it is read. */
  list(paymentId: string): AsyncIterable<Payment>;
};

export function createRefunds(settings: Settings): Refunds {
  return {
    async request(paymentId, request, options = {}) {
      const key = keyOf(options);
      const ending = await carryOut(settings, {
        method: "POST",
        path: `/api/payment/${idInPath(paymentId)}/refund`,
        body: requestBody(request, settings),
        ...key,
        createsRecord: true,
      });
      const call = { idempotencyKey: key.idempotencyKey, attempts: ending.attempts };
      if (ending.kind !== "done") return unfinished(ending, call);
      return { outcome: "done", refund: ending.body as Payment, replayed: ending.replayed, ...call };
    },
    list: (paymentId) => readList<Payment>(settings, `/api/payment/${idInPath(paymentId)}/refunds`),
    async get(refundId) {
      return (await read(settings, `/api/payment/${idInPath(refundId)}`)) as Payment;
    },
  };
}
