import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { resolutionOutcomeSchema } from "../http/operator-payments.ts";
import { operatorRefundPageSchema, REFUND_FILTERS } from "../http/operator-lists.ts";
import { operatorRefundDetailSchema } from "../http/operator-refunds.ts";
import { amountMinorSchema, defineCommand, defineOperatorCommand } from "./message.ts";

/** What merchants and operators ask of the refunds service, through the gateway. */

const refundOfPayment = {
  /** Drawn by the gateway: a copy of the message is the same refund. */
  refundId: z.uuid(),
  paymentId: z.uuid(),
  amountMinor: amountMinorSchema,
  currency: z.string(),
};
const oneRefund = z.object({ refundId: z.uuid() });

/** Reserve the amount and queue the refund for approval. */
export const requestRefund = defineCommand({
  service: "refunds",
  name: "request",
  work: "write",
  request: z.object(refundOfPayment),
  result: apiPaymentResponseSchema,
});
export type RequestRefund = z.infer<typeof requestRefund.request>;

/** Read one refund of the merchant. */
export const getRefund = defineCommand({
  service: "refunds",
  name: "get",
  work: "read",
  request: oneRefund,
  result: apiPaymentResponseSchema,
});

/** The same on a merchant's behalf; the gateway has looked the payment's merchant up. */
export const requestRefundForMerchant = defineOperatorCommand({
  service: "refunds",
  name: "request-for-merchant",
  role: "operations",
  recentSignIn: true,
  work: "write",
  request: z.object({ ...refundOfPayment, merchantId: z.uuid(), reason: z.string() }),
  result: operatorRefundDetailSchema,
});

/** As a gateway of the version before `listRefundsForOperator` asks. `cursor` is the service's own, opaque to the gateway. */
export const listRefunds = defineOperatorCommand({
  service: "refunds",
  name: "list",
  role: "viewer",
  work: "read",
  request: z.object({
    status: z.enum(REFUND_FILTERS).optional(),
    merchantId: z.uuid().optional(),
    limit: z.int(),
    cursor: z.string().optional(),
  }),
  result: operatorRefundPageSchema,
});

export const describeRefund = defineOperatorCommand({
  service: "refunds",
  name: "describe",
  role: "viewer",
  work: "read",
  request: oneRefund,
  result: operatorRefundDetailSchema,
});

export const approveRefund = defineOperatorCommand({
  service: "refunds",
  name: "approve",
  role: "approver",
  recentSignIn: true,
  request: oneRefund.extend({ note: z.string().optional() }),
  result: operatorRefundDetailSchema,
});

export const rejectRefund = defineOperatorCommand({
  service: "refunds",
  name: "reject",
  role: "approver",
  recentSignIn: true,
  work: "write",
  request: oneRefund.extend({ reason: z.string() }),
  result: operatorRefundDetailSchema,
});

export const inquireRefund = defineOperatorCommand({
  service: "refunds",
  name: "inquire",
  role: "operations",
  request: oneRefund,
  result: operatorRefundDetailSchema,
});

export const resolveRefund = defineOperatorCommand({
  service: "refunds",
  name: "resolve",
  role: "operations",
  recentSignIn: true,
  request: oneRefund.extend({ outcome: resolutionOutcomeSchema, evidence: z.string() }),
  result: operatorRefundDetailSchema,
});

export const readRefundsAuditLog = defineOperatorCommand({
  service: "refunds",
  name: "audit-log",
  role: "viewer",
  work: "read",
  request: auditPageSchema,
  result: auditEntriesSchema,
});
