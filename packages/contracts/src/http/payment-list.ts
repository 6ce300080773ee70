import { z } from "zod";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { defineEndpoint, pathId } from "./endpoint.ts";
import { listFilterSchema } from "./list-filter.ts";
import { exportQuery, pageOf, pageQuery } from "./list-query.ts";

const paymentPageSchema = pageOf(apiPaymentResponseSchema, "newest first").meta({ id: "PaymentPage" });

export const listPayments = defineEndpoint({
  operationId: "listPayments",
  listener: "merchant",
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
});

export const listPaymentRefunds = defineEndpoint({
  operationId: "listPaymentRefunds",
  listener: "merchant",
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
});
