import { z } from "zod";
import { BODY_PROBLEMS, only, pathId } from "../http/endpoint.ts";
import { figuresSchema } from "../http/figures.ts";
import { operatorListFilterSchema } from "../http/list-filter.ts";
import { exportQuery, pageOf, pageQuery } from "../http/list-query.ts";
import {
  listedOperatorPaymentSchema,
  listedOperatorRefundSchema,
  operatorRefundFilterSchema,
} from "../http/operator-lists.ts";
import { operatorPaymentLifeSchema } from "../http/operator-payment-life.ts";
import {
  operatorPaymentDetailSchema,
  operatorPaymentSchema,
  statementSchema,
} from "../http/operator-payments.ts";
import { operatorRefundSchema } from "../http/operator-refunds.ts";
import { searchAnswerSchema } from "../http/operator-search.ts";
import { livemodeParameter } from "../livemode.ts";
import { listPartSchema, partOfListSchema } from "../messages/list-parts.ts";
import { textSchema } from "../text.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const settled = { 200: { description: "The payment as it is now", body: operatorPaymentDetailSchema } };

const listedPaymentsSchema = pageOf(
  listedOperatorPaymentSchema,
  "newest first; unresolved ones oldest first",
).meta({ id: "ListedOperatorPayments" });

const listedRefundsSchema = pageOf(listedOperatorRefundSchema, "newest first; a queue oldest first").meta({
  id: "ListedOperatorRefunds",
});

const RANGE_RULE =
  "A search that no index answers needs `from` and `to`, at most 31 days apart. With `Accept: text/csv` or " +
  "`application/x-ndjson` all matching rows come in one answer, whose last line has their number.";

const paymentPath = z.object({ paymentId: pathId("Id of the payment") });

const settlingProblems = [
  "payment_not_found",
  "invalid_payment_state",
  "operation_in_progress",
  "reversal_pending",
  "outcome_unknown",
  "forbidden",
] as const;

/** Payments of all merchants. */
export const paymentOperations = defineOperatorOperations({
  listPaymentsOfMerchants: {
    subject: "payments.list-for-operator",
    payload: partOfListSchema.extend({
      filter: operatorListFilterSchema,
      /** The mode to list; both without it. */
      livemode: z.boolean().optional(),
      unresolved: z.literal(true).optional(),
    }),
    result: listPartSchema(operatorPaymentSchema),
    method: "GET",
    path: "/operator/payments",
    role: "viewer",
    summary: "List payments of all merchants",
    description:
      "Returns payments, newest first. With `unresolved=true` they are those whose outcome at the bank is unknown, oldest " +
      `first; that goes together with \`merchantId\`, \`livemode\`, \`from\` and \`to\` alone. ${RANGE_RULE}`,
    queryParameters: z.object({
      unresolved: only(
        "payments whose outcome at the bank is unknown",
        z.literal("true", { error: "must be true" }),
      ),
      ...operatorListFilterSchema.shape,
      livemode: livemodeParameter,
      ...pageQuery,
      ...exportQuery,
    }),
    responses: { 200: { description: "One page of payments", body: listedPaymentsSchema, rows: true } },
    problems: ["validation_failed", "forbidden"],
  },

  listRefunds: {
    subject: "refunds.list-for-operator",
    payload: partOfListSchema.extend({
      filter: operatorRefundFilterSchema.extend({ parentPaymentId: z.uuid().optional() }),
      livemode: z.boolean().optional(),
    }),
    result: listPartSchema(operatorRefundSchema),
    method: "GET",
    path: "/operator/refunds",
    role: "viewer",
    summary: "List refunds",
    description:
      "Returns the refunds of all merchants, newest first. With `status`, alone or with `merchantId` and `livemode`, it is the queue of that " +
      `status, oldest first. ${RANGE_RULE}`,
    queryParameters: z.object({
      paymentId: only("refunds of this payment", z.uuid()),
      ...operatorRefundFilterSchema.shape,
      livemode: livemodeParameter,
      ...pageQuery,
      ...exportQuery,
    }),
    responses: { 200: { description: "One page of refunds", body: listedRefundsSchema, rows: true } },
    problems: ["validation_failed", "forbidden"],
  },

  getFigures: {
    subject: "payments.figures",
    payload: z.object({ merchantId: z.uuid().optional(), livemode: z.boolean() }),
    method: "GET",
    path: "/operator/figures",
    role: "viewer",
    summary: "Get the sums of today's payments",
    description:
      "Returns what was paid today by hour, beside yesterday and the same day of last week, and the banks' answers of " +
      "today. The database adds up all payments. Days and hours are in UTC.",
    queryParameters: z.object({
      merchantId: only("payments of this merchant", z.uuid({ error: "must be a merchant's id" })),
      livemode: livemodeParameter,
    }),
    responses: { 200: { description: "The sums", body: figuresSchema } },
    problems: ["validation_failed", "forbidden"],
  },

  search: {
    method: "GET",
    path: "/operator/search",
    role: "viewer",
    summary: "Find a payment, a refund or a merchant",
    description:
      "Finds what the text is the id, order number, bank reference, authorization code, customer, last four digits or masked " +
      "card number of, in payments and refunds of all merchants, and merchants by a part of their name, and says as what it " +
      "was found. A card number that is not masked is refused (`card_number`).",
    queryParameters: z.object({
      q: textSchema(1, 128),
      livemode: only(
        "what has this mode, unless the text is its id; in both modes without it",
        z.enum(["true", "false"], { error: "must be true or false" }),
      ),
    }),
    responses: { 200: { description: "What was found", body: searchAnswerSchema } },
    problems: ["validation_failed", "forbidden"],
  },

  getOperatorPayment: {
    subject: "payments.describe",
    result: operatorPaymentDetailSchema,
    method: "GET",
    path: "/operator/payments/{paymentId}",
    role: "viewer",
    summary: "Get a payment of any merchant",
    description:
      "Returns everything that is known of a payment: its history, captures and cancellations, its names at the bank, " +
      "refunds, webhooks, and who has done what about it. Where a service does not answer for its part the whole answer " +
      "is 503, never one that lacks something.",
    pathParameters: z.object({ paymentId: pathId("Id of the payment") }),
    notFound: "payment_not_found",
    responses: { 200: { description: "The payment", body: operatorPaymentLifeSchema } },
    problems: ["payment_not_found", "forbidden"],
  },

  inquirePayment: {
    subject: "payments.inquire",
    method: "POST",
    path: "/operator/payments/{paymentId}/inquire",
    role: "operations",
    summary: "Query the acquirer about a payment",
    description: "Asks the acquirer immediately for the outcome of an unresolved payment.",
    pathParameters: paymentPath,
    notFound: "payment_not_found",
    responses: settled,
    problems: settlingProblems,
  },

  reversePayment: {
    subject: "payments.reverse",
    method: "POST",
    path: "/operator/payments/{paymentId}/reverse",
    role: "operations",
    recentSignIn: true,
    summary: "Reverse an unresolved payment",
    description:
      "Reverses an unresolved payment, whatever its outcome at the bank was. The decision is final; the " +
      "reversal is repeated until the acquirer acknowledges it. Where the money has been settled a refund gives it back.",
    pathParameters: paymentPath,
    notFound: "payment_not_found",
    responses: settled,
    problems: settlingProblems,
  },

  resolvePayment: {
    subject: "payments.resolve",
    method: "POST",
    path: "/operator/payments/{paymentId}/resolve",
    role: "operations",
    recentSignIn: true,
    summary: "Resolve a payment manually",
    description:
      "Settles an unresolved payment by the outcome that the bank has confirmed to people. Two operators are needed: the " +
      "first proposes an outcome, and a second confirms it by sending the same one. A different outcome replaces the " +
      "proposal, and neither may have issued the credential that made the payment. FAILED always sends a reversal first, and is refused (`bank_says_settled`) where the bank says that the " +
      "amount is still reserved or charged, unless a refund that is not ours stands beside it after its day. A payment that is being reversed can become SUCCESS only after the bank has refused the reversal, and " +
      "while no reversal that it has not answered may still take effect (`reversal_pending`); it can then be refunded. A " +
      "capture or cancellation is recorded as the bank knows it, a capture in the amount that the bank took. What " +
      "may still take effect at the bank is `too_young` until `notBefore`.",
    pathParameters: paymentPath,
    notFound: "payment_not_found",
    request: statementSchema.meta({ id: "ResolvePaymentRequest" }),
    responses: settled,
    problems: [...BODY_PROBLEMS, ...settlingProblems, "bank_says_settled", "too_young", "same_person"],
  },
});
