import { readAuditEntriesBefore } from "@holdfast/audit";
import {
  describePayment,
  inquireUnresolvedPayment,
  readPaymentsAuditLog,
  readRefundableAmounts as readRefundableAmountsCommand,
  resolveUnresolvedPayment,
  reverseUnresolvedPayment,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { readRefundableAmounts } from "../../follow-up/refund-reservation/refundable-amounts.ts";
import { describe, type OperatorDeps } from "./operated-payment.ts";
import { resolve } from "./resolve-payment.ts";
import { inquire, reverse } from "./settle-by-operator.ts";

/** What operators may ask of this service; `serve` has verified who they are and what they may. */
export function operatorHandlers(deps: OperatorDeps) {
  return [
    handler(describePayment, ({ payload }) => describe(deps, payload.paymentId)),
    handler(inquireUnresolvedPayment, ({ context, payload }) => inquire(deps, context, payload.paymentId)),
    handler(reverseUnresolvedPayment, ({ context, payload }) => reverse(deps, context, payload.paymentId)),
    handler(resolveUnresolvedPayment, ({ context, payload }) => resolve(deps, context, payload)),
    handler(readRefundableAmountsCommand, ({ payload }) => readRefundableAmounts(deps, payload.paymentIds)),
    handler(readPaymentsAuditLog, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "payments", payload) },
    })),
  ];
}
