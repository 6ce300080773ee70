import { z } from "zod";
import { textSchema } from "../text.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";

/** Outcomes two operators can settle a payment to. */
export const resolutionOutcomeSchema = z.enum(["SUCCESS", "FAILED"]);

/** A payment as operators see it: the merchant's record and what the gateway knows beside it. */
export const operatorPaymentSchema = z
  .object({
    merchantId: z.uuid(),
    payment: apiPaymentResponseSchema,
    state: z
      .string()
      .meta({ description: "Internal state; AUTHORIZING and REVERSING show to merchants as ENROLLED" }),
    unresolved: z
      .boolean()
      .meta({ description: "Whether the outcome at the acquirer is still to be found out" }),
    ageSeconds: z.int().meta({ description: "Since the payment was claimed" }),
    overdue: z.boolean().meta({ description: "Unresolved for more than 24 hours: people have to settle it" }),
    attempts: z.int().meta({ description: "Recovery's attempts so far" }),
    lastInquiry: z
      .string()
      .optional()
      .meta({ description: "What the last attempt found", examples: ["not_found"] }),
    nextAttemptAt: z.iso.datetime().optional(),
    resolution: z
      .object({
        outcome: resolutionOutcomeSchema,
        evidence: z.string(),
        proposedBy: z.string(),
        proposedAt: z.iso.datetime(),
        confirmations: z.int(),
        confirmationsRequired: z.int(),
      })
      .optional()
      .meta({ description: "Proposed by one operator, waiting for another" }),
  })
  .meta({ id: "OperatorPayment" });
export type OperatorPayment = z.infer<typeof operatorPaymentSchema>;

/** With every change of state since the claim. */
export const operatorPaymentDetailSchema = operatorPaymentSchema
  .extend({
    history: z.array(
      z.object({
        version: z.int(),
        from: z.string().optional(),
        to: z.string(),
        cause: z.string(),
        at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: "OperatorPaymentDetail" });
export type OperatorPaymentDetail = z.infer<typeof operatorPaymentDetailSchema>;

export const operatorPaymentPageSchema = z
  .object({ items: z.array(operatorPaymentSchema), nextCursor: z.string().optional() })
  .meta({ id: "OperatorPaymentPage" });

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^([1-9]\d?|1\d\d|200)$/, { error: "must be 1 to 200" })
    .optional()
    .meta({ override: { type: "integer", minimum: 1, maximum: 200, default: 50 } }),
  cursor: z.string().max(1_000).optional(),
};

const paymentPath = z.object({ paymentId: pathId });

export const listOperatorPayments = defineEndpoint({
  operationId: "listUnresolvedPayments",
  listener: "operator",
  method: "GET",
  path: "/operator/payments",
  role: "viewer",
  summary: "Payments that wait for the bank, oldest first",
  queryParameters: z.object({
    unresolved: z.literal("true", { error: "must be true" }),
    ...pageQuery,
  }),
  responses: { 200: { description: "A page", body: operatorPaymentPageSchema } },
  problems: ["validation_failed", "forbidden"],
});

export const getOperatorPayment = defineEndpoint({
  operationId: "getOperatorPayment",
  listener: "operator",
  method: "GET",
  path: "/operator/payments/{paymentId}",
  role: "viewer",
  summary: "One payment of any merchant, with its history",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  responses: { 200: { description: "The payment", body: operatorPaymentDetailSchema } },
  problems: ["payment_not_found", "forbidden"],
});

const settled = { 200: { description: "The payment as it stands now", body: operatorPaymentDetailSchema } };
const settlingProblems = [
  "payment_not_found",
  "invalid_payment_state",
  "operation_in_progress",
  "outcome_unknown",
  "forbidden",
] as const;

export const inquirePayment = defineEndpoint({
  operationId: "inquirePayment",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/inquire",
  role: "admin",
  summary: "Ask the acquirer now what became of an unresolved payment",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  responses: settled,
  problems: settlingProblems,
});

export const reversePayment = defineEndpoint({
  operationId: "reversePayment",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/reverse",
  role: "admin",
  summary: "Decide that an unresolved payment shall not stand, and reverse it",
  description: "The decision is final; the reversal is repeated until the acquirer acknowledges it.",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  responses: settled,
  problems: settlingProblems,
});

export const resolvePayment = defineEndpoint({
  operationId: "resolvePayment",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/resolve",
  role: "admin",
  summary: "Settle an unresolved payment by what the bank told people; takes two operators",
  description:
    "The first operator proposes, a second one confirms by sending the same outcome. Another outcome replaces the " +
    "proposal. A payment that is being reversed can only become FAILED.",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  request: z
    .object({
      outcome: resolutionOutcomeSchema,
      evidence: textSchema(1, 1_000).meta({ description: "What the bank said, where, and to whom" }),
    })
    .meta({ id: "ResolvePaymentRequest" }),
  responses: settled,
  problems: [...BODY_PROBLEMS, ...settlingProblems, "same_person"],
});

export const PAYMENT_OPERATOR_ENDPOINTS = [
  listOperatorPayments,
  getOperatorPayment,
  inquirePayment,
  reversePayment,
  resolvePayment,
];
