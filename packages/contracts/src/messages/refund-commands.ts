import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { resolutionOutcomeSchema } from "../http/operator-payments.ts";
import { operatorRefundDetailSchema } from "../http/operator-refunds.ts";
import { amountMinorSchema, defineCommand, defineOperatorCommand } from "./message.ts";
import { approvalsRequiredSchema } from "./refund-bank-commands.ts";

/** Merchants' and operators' commands to the refunds service, through the gateway. */

const refundOfPayment = {
  /** An id that the gateway generated: a copy of the message is the same refund. */
  refundId: z.uuid(),
  paymentId: z.uuid(),
  amountMinor: amountMinorSchema,
  currency: z.string(),
};
const oneRefund = z.object({ refundId: z.uuid() });

/** Reserves the amount and queues the refund for approval. */
export const requestRefund = defineCommand({
  service: "refunds",
  name: "request",
  work: "write",
  request: z.object(refundOfPayment),
  result: apiPaymentResponseSchema,
});
export type RequestRefund = z.infer<typeof requestRefund.request>;

/** Reads one refund of the merchant. */
export const getRefund = defineCommand({
  service: "refunds",
  name: "get",
  work: "read",
  request: oneRefund,
  result: apiPaymentResponseSchema,
});

/** Requests a refund on a merchant's behalf; the gateway has looked the payment's merchant up. */
export const requestRefundForMerchant = defineOperatorCommand({
  service: "refunds",
  name: "request-for-merchant",
  role: "operations",
  recentSignIn: true,
  work: "write",
  request: z.object({ ...refundOfPayment, merchantId: z.uuid(), reason: z.string() }),
  result: operatorRefundDetailSchema,
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
  /** `approvalsRequired`: the answer of `agreeToRefund`. */
  request: oneRefund.extend({ approvalsRequired: approvalsRequiredSchema, note: z.string().optional() }),
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
