import { z } from "zod";
import { cardPaymentFields } from "../http/card-payment-fields.ts";
import { BODY_PROBLEMS, pathId } from "../http/endpoint.ts";
import { statementSchema } from "../http/operator-payments.ts";
import { operatorRefundDetailSchema } from "../http/operator-refunds.ts";
import { refundRequestSchema } from "../http/refund.ts";
import { approvalsRequiredSchema } from "../messages/refund-bank-commands.ts";
import { refundOfPaymentSchema } from "../messages/refund-commands.ts";
import { textSchema } from "../text.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const refundPath = z.object({ refundId: pathId("Id of the refund") });

const decided = { 200: { description: "The refund as it is now", body: operatorRefundDetailSchema } };

const decisionProblems = [
  ...BODY_PROBLEMS,
  "refund_not_found",
  "refund_already_decided",
  "outcome_unknown",
  "forbidden",
] as const;

const unresolvedProblems = [
  "refund_not_found",
  "invalid_payment_state",
  "operation_in_progress",
  "outcome_unknown",
  "forbidden",
] as const;

/** Refunds of all merchants, and the decisions about them. */
export const refundOperations = defineOperatorOperations({
  getOperatorRefund: {
    subject: "refunds.describe",
    method: "GET",
    path: "/operator/refunds/{refundId}",
    role: "viewer",
    summary: "Get a refund",
    description: "Returns a refund of any merchant with its history.",
    pathParameters: refundPath,
    notFound: "refund_not_found",
    responses: { 200: { description: "The refund", body: operatorRefundDetailSchema } },
    problems: ["refund_not_found", "forbidden"],
  },

  approveRefund: {
    subject: "refunds.approve",
    payload: z.object({
      refundId: z.uuid(),
      /** The answer of `agreeToRefund`. */
      approvalsRequired: approvalsRequiredSchema,
      note: z.string().optional(),
    }),
    method: "POST",
    path: "/operator/refunds/{refundId}/approve",
    role: "approver",
    recentSignIn: true,
    summary: "Approve a refund",
    description:
      "Approves a refund, which is then carried out at the bank; the answer may come before the bank's. Where the " +
      "payment's refunds exceed the configured amount together, two different people have to approve. The person who " +
      "requested the refund, or issued the credential that did, cannot approve it (`same_person`), and nobody more than " +
      "their limit of 24 hours (`approver_limit_reached`). A refused attempt is an entry of the audit log.",
    pathParameters: refundPath,
    notFound: "refund_not_found",
    request: z
      .object({
        note: textSchema(1, 1_000).optional(),
        amount: cardPaymentFields.amount.optional().meta({
          description: "Amount that the person has seen: another one is `refund_differs`",
        }),
        currency: cardPaymentFields.currency.optional().meta({ description: "Currency of `amount`" }),
      })
      .meta({ id: "ApproveRefundRequest" }),
    bodyOptional: true,
    responses: decided,
    problems: [
      ...decisionProblems,
      "same_person",
      "already_approved_by_you",
      "approver_limit_reached",
      "refund_differs",
    ],
  },

  rejectRefund: {
    subject: "refunds.reject",
    method: "POST",
    path: "/operator/refunds/{refundId}/reject",
    work: "write",
    role: "approver",
    recentSignIn: true,
    summary: "Reject a refund",
    description:
      "Rejects a refund and makes its amount refundable again. The person who issued the credential that requested it " +
      "cannot reject it (`same_person`).",
    pathParameters: refundPath,
    notFound: "refund_not_found",
    request: z
      .object({
        reason: textSchema(1, 200).meta({ description: "Shown to the merchant as `resultMessage`" }),
      })
      .meta({ id: "RejectRefundRequest" }),
    responses: decided,
    problems: [...decisionProblems, "same_person"],
  },

  inquireRefund: {
    subject: "refunds.inquire",
    method: "POST",
    path: "/operator/refunds/{refundId}/inquire",
    role: "operations",
    summary: "Query the acquirer about a refund",
    description:
      "Asks the acquirer immediately for the outcome of a refund that is executing, and carries it on as recovery does.",
    pathParameters: refundPath,
    notFound: "refund_not_found",
    responses: decided,
    problems: unresolvedProblems,
  },

  resolveRefund: {
    subject: "refunds.resolve",
    method: "POST",
    path: "/operator/refunds/{refundId}/resolve",
    role: "operations",
    recentSignIn: true,
    summary: "Resolve a refund manually",
    description:
      "Settles a refund that is executing by the outcome that the bank has confirmed to people. Two operators are needed: " +
      "the first proposes an outcome, and a second confirms it by sending the same one. A different outcome replaces the " +
      "proposal, and neither may have issued the credential that requested the refund. At the confirmation the bank is asked once more, and what it knows is recorded whatever people say: " +
      "FAILED is refused (`bank_says_settled`) where the bank says that it has paid, in whatever amount. What may " +
      "still take effect at the bank is `too_young` until `notBefore`.",
    pathParameters: refundPath,
    notFound: "refund_not_found",
    request: statementSchema.meta({ id: "ResolveRefundRequest" }),
    responses: decided,
    problems: [...BODY_PROBLEMS, ...unresolvedProblems, "bank_says_settled", "too_young", "same_person"],
  },

  requestRefundForMerchant: {
    subject: "refunds.request-for-merchant",
    payload: refundOfPaymentSchema.extend({ merchantId: z.uuid(), reason: z.string() }),
    method: "POST",
    path: "/operator/payments/{paymentId}/refunds",
    work: "write",
    role: "operations",
    recentSignIn: true,
    summary: "Request a refund for a merchant",
    description: "Requests a refund on the merchant's behalf. A different person must approve it.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment to refund") }),
    notFound: "payment_not_found",
    request: refundRequestSchema
      .extend({ reason: textSchema(1, 1_000) })
      .meta({ id: "RequestRefundForMerchantRequest" }),
    responses: {
      202: {
        description: "Accepted; the refund waits for approval",
        body: operatorRefundDetailSchema,
        headers: { Location: "/operator/refunds/{refundId}" },
      },
    },
    problems: [
      ...BODY_PROBLEMS,
      "payment_not_found",
      "payment_not_refundable",
      "refund_amount_exceeds_remaining",
      "currency_mismatch",
      "operation_in_progress",
      "outcome_unknown",
      "forbidden",
    ],
  },
});
