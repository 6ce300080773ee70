import { z } from "zod";
import {
  apiPaymentResponseSchema,
  paymentOrRefundSchema,
  paymentSchema,
  refundSchema,
} from "../http/api-payment-response.ts";
import { binInfoSchema, binQuerySchema, binSchema } from "../http/bin.ts";
import { cancelRequestSchema, captureRequestSchema } from "../http/capture.ts";
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, pathId } from "../http/endpoint.ts";
import { listFilterSchema } from "../http/list-filter.ts";
import { exportQuery, pageOf, pageQuery } from "../http/list-query.ts";
import { refundRequestSchema } from "../http/refund.ts";
import { cancelPaymentSchema, capturePaymentSchema } from "../messages/payment-requests.ts";
import { amountMinorSchema } from "../messages/message.ts";
import { listPartSchema, partOfListSchema } from "../messages/list-parts.ts";
import { requestRefundSchema } from "../messages/refund-commands.ts";
import { defineMerchantOperations } from "./define-operations.ts";

const paymentPageSchema = pageOf(apiPaymentResponseSchema, "newest first").meta({ id: "PaymentPage" });

const paymentPath = z.object({ paymentId: pathId("Id of the payment") });

/** The responses of both operations. */
const responses = {
  200: { description: "The operation was carried out", body: paymentSchema },
  202: {
    description:
      "The outcome at the bank is not known yet. The body shows the payment as it was before; query it later",
    body: paymentSchema,
    headers: { "Retry-After": "Seconds to wait before a query" },
  },
};

const problems = [
  ...BODY_PROBLEMS,
  ...IDEMPOTENCY_PROBLEMS,
  "payment_not_found",
  "invalid_payment_state",
  "refund_pending",
  "already_refunded",
  "operation_in_progress",
  "acquirer_declined",
  "outcome_unknown",
] as const;

/** A merchant's payments, and what follows them. */
export const ownPaymentOperations = defineMerchantOperations({
  getPayment: {
    subject: "payments.get",
    result: apiPaymentResponseSchema,
    method: "GET",
    path: "/api/payment/{paymentId}",
    summary: "Get a payment or refund",
    description: "Returns the current state of a payment or refund.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment or refund") }),
    notFound: "payment_not_found",
    responses: { 200: { description: "The payment or refund", body: paymentOrRefundSchema } },
    problems: ["payment_not_found"],
  },

  listPayments: {
    subject: "payments.list-of-merchant",
    payload: partOfListSchema.extend({ filter: listFilterSchema }),
    result: listPartSchema(apiPaymentResponseSchema),
    method: "GET",
    path: "/api/payments",
    summary: "List payments and refunds",
    description:
      "Returns the merchant's payments and refunds, newest first; `transactionType` tells which is which. `from` and `to` " +
      "bound `paymentDate`. A search that no index answers (by `bin`, `currency`, amount or `transactionType`, unless an " +
      "order, a customer or last four digits are named, too) needs a range of at most 31 days. A page may have fewer items " +
      "than `limit`: the list is over where there is no `nextCursor`, and only there. What is there when the first page is " +
      "read comes exactly once, whatever arrives meanwhile. With `Accept: text/csv` or `application/x-ndjson` all matching " +
      "rows come in one answer; its last line has their number, and an answer without that line is incomplete.",
    queryParameters: z.object({ ...listFilterSchema.shape, ...pageQuery, ...exportQuery }),
    responses: {
      200: { description: "One page of payments and refunds", body: paymentPageSchema, rows: true },
    },
    problems: ["validation_failed"],
  },

  listPaymentRefunds: {
    subject: "refunds.list-of-merchant",
    payload: partOfListSchema.extend({
      filter: listFilterSchema.extend({ parentPaymentId: z.uuid().optional() }),
    }),
    result: listPartSchema(apiPaymentResponseSchema),
    method: "GET",
    path: "/api/payment/{paymentId}/refunds",
    summary: "List a payment's refunds",
    description:
      "Returns the refunds of one payment, newest first. With `Accept: text/csv` or `application/x-ndjson` all of them come " +
      "in one answer, whose last line has their number.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment") }),
    notFound: "payment_not_found",
    queryParameters: z.object({ ...pageQuery, ...exportQuery }),
    responses: { 200: { description: "One page of refunds", body: paymentPageSchema, rows: true } },
    problems: ["payment_not_found", "validation_failed"],
  },

  capture: {
    subject: "payments.capture",
    payload: capturePaymentSchema,
    result: apiPaymentResponseSchema,
    method: "POST",
    path: "/api/payment/{paymentId}/capture",
    summary: "Capture a payment",
    description:
      "Captures all or part of a pre-authorization's funds, once. Without an `amount`, everything that can " +
      "still be captured is captured.",
    pathParameters: paymentPath,
    notFound: "payment_not_found",
    request: captureRequestSchema,
    bodyOptional: true,
    responses,
    problems: [...problems, "capture_amount_exceeds_authorized", "currency_mismatch"],
  },

  cancel: {
    subject: "payments.cancel",
    payload: cancelPaymentSchema,
    result: apiPaymentResponseSchema,
    method: "POST",
    path: "/api/payment/{paymentId}/cancel",
    summary: "Cancel a payment",
    description: "Releases a pre-authorization's reserved funds, or voids a sale on its business day.",
    pathParameters: paymentPath,
    notFound: "payment_not_found",
    request: cancelRequestSchema,
    bodyOptional: true,
    responses,
    problems,
  },

  requestRefund: {
    subject: "refunds.request",
    payload: requestRefundSchema,
    result: apiPaymentResponseSchema,
    method: "POST",
    path: "/api/payment/{paymentId}/refund",
    work: "write",
    summary: "Request a refund",
    description:
      "Requests a refund, which is carried out once operators have approved it. The refund has its own `paymentId`: query " +
      "that, or wait for its webhook. The amount is reserved immediately, so that refunds never add up to more than the " +
      "payment.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment to refund") }),
    notFound: "payment_not_found",
    request: refundRequestSchema,
    responses: {
      202: {
        description: "Accepted, with status PENDING_APPROVAL",
        body: refundSchema,
        headers: { Location: "/api/payment/{refund's paymentId}" },
      },
    },
    problems: [
      ...BODY_PROBLEMS,
      ...IDEMPOTENCY_PROBLEMS,
      "payment_not_found",
      "payment_not_refundable",
      "refund_amount_exceeds_remaining",
      "currency_mismatch",
      "operation_in_progress",
      "outcome_unknown",
    ],
  },

  getBin: {
    subject: "payments.look-up-bin",
    payload: z.object({
      bin: binSchema,
      order: z.object({ amountMinor: amountMinorSchema, currency: z.string() }).optional(),
    }),
    method: "GET",
    path: "/api/bins/{bin}",
    summary: "Look up a BIN",
    description:
      "Returns a card's scheme, type, country and installments by the first 6 to 8 digits of its number. " +
      "Issuers share the first six digits, so send eight if you have them. Do not store more than eight digits " +
      "of a card number. With `amount` and `currency` it returns the total and the parts of each number of installments, too.",
    queryParameters: binQuerySchema,
    pathParameters: z.object({
      bin: binSchema.meta({
        pattern: "^[0-9]{6,8}$",
        description: "First 6, 7 or 8 digits of the card number",
      }),
    }),
    responses: { 200: { description: "What is known of the BIN", body: binInfoSchema } },
    problems: ["validation_failed", "bin_not_found"],
  },
});
