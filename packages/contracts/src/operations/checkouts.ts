import { z } from "zod";
import { checkoutListFilterSchema } from "../http/checkout-list.ts";
import { checkoutRequestSchema, checkoutSchema } from "../http/checkout.ts";
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, pathId } from "../http/endpoint.ts";
import { exportQuery, pageOf, pageQuery } from "../http/list-query.ts";
import {
  cancelCheckoutSchema,
  checkoutRecordSchema,
  openCheckoutSchema,
} from "../messages/checkout-commands.ts";
import { listPartSchema, partOfListSchema } from "../messages/list-parts.ts";
import { defineMerchantOperations } from "./define-operations.ts";

/** A merchant's hosted checkouts. */
export const checkoutOperations = defineMerchantOperations({
  createCheckout: {
    subject: "payments.open-checkout",
    payload: openCheckoutSchema,
    result: checkoutRecordSchema,
    method: "POST",
    path: "/api/checkout",
    work: "write",
    summary: "Create a checkout",
    description:
      "Creates a hosted page on which a buyer pays one order. Send the buyer to `checkoutUrl`. The buyer enters the card " +
      "there, and the card never reaches the merchant. After a decline the checkout stays OPEN for another attempt. Its " +
      "payments send webhooks, as all payments do.",
    request: checkoutRequestSchema,
    responses: {
      201: {
        description: "Created, with status OPEN",
        body: checkoutSchema,
        headers: { Location: "/api/checkout/{checkoutId}" },
      },
    },
    problems: [...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "outcome_unknown"],
  },

  getCheckout: {
    subject: "payments.read-checkout",
    result: checkoutRecordSchema,
    method: "GET",
    path: "/api/checkout/{checkoutId}",
    summary: "Get a checkout",
    description:
      "Returns the checkout with its latest payment. A checkout is COMPLETED as soon as its payment is " +
      "SUCCESS. It stays COMPLETED when the payment changes later; query the payment to see that.",
    pathParameters: z.object({ checkoutId: pathId("Id of the checkout") }),
    notFound: "checkout_not_found",
    responses: { 200: { description: "The checkout", body: checkoutSchema } },
    problems: ["checkout_not_found"],
  },

  cancelCheckout: {
    subject: "payments.cancel-checkout-of-merchant",
    payload: cancelCheckoutSchema,
    result: checkoutRecordSchema,
    method: "POST",
    path: "/api/checkout/{checkoutId}/cancel",
    work: "write",
    summary: "Cancel a checkout",
    description:
      "Ends an open checkout: its page can no longer be paid, and says so. One that is cancelled already is answered as it " +
      "is. Nothing is cancelled while a payment is under way (409 `operation_in_progress`), nor after the checkout ended " +
      "otherwise (409 `checkout_not_open`): of a cancellation and a payment at the same moment one wins.",
    pathParameters: z.object({ checkoutId: pathId("Id of the checkout") }),
    notFound: "checkout_not_found",
    responses: { 200: { description: "Cancelled", body: checkoutSchema } },
    problems: [
      "checkout_not_found",
      "checkout_not_open",
      "operation_in_progress",
      ...IDEMPOTENCY_PROBLEMS,
      "outcome_unknown",
    ],
  },

  listCheckouts: {
    subject: "payments.list-checkouts",
    payload: partOfListSchema.extend({ filter: checkoutListFilterSchema }),
    result: listPartSchema(checkoutRecordSchema),
    method: "GET",
    path: "/api/checkouts",
    summary: "List checkouts",
    description:
      "Returns the merchant's checkouts, newest first, each with its latest payment; `from` and `to` bound `createdAt`. With " +
      "`Accept: text/csv` or `application/x-ndjson` all matching rows come in one answer, whose last line has their number.",
    queryParameters: z.object({ ...checkoutListFilterSchema.shape, ...pageQuery, ...exportQuery }),
    responses: {
      200: {
        description: "One page of checkouts",
        body: pageOf(checkoutSchema, "newest first").meta({ id: "CheckoutPage" }),
        rows: true,
      },
    },
    problems: ["validation_failed"],
  },
});
