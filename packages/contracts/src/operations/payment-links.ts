import { z } from "zod";
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, pathId } from "../http/endpoint.ts";
import { exportQuery, pageOf, pageQuery, WITH_ROWS } from "../http/list-query.ts";
import { paymentLinkRequestSchema, paymentLinkSchema } from "../http/payment-links.ts";
import { listPartSchema, partOfListSchema } from "../messages/list-parts.ts";
import {
  endPaymentLinkSchema,
  makePaymentLinkSchema,
  paymentLinkRecordSchema,
} from "../messages/payment-link-commands.ts";
import { defineMerchantOperations } from "./define-operations.ts";

const linkPath = z.object({ paymentLinkId: pathId("Id of the payment link") });

/** A merchant's payment links. */
export const paymentLinkOperations = defineMerchantOperations({
  createPaymentLink: {
    subject: "payments.make-payment-link",
    payload: makePaymentLinkSchema,
    result: paymentLinkRecordSchema,
    method: "POST",
    path: "/api/payment-links",
    work: "write",
    summary: "Create a payment link",
    description:
      "Creates an address that buyers pay without a call of your server for each. Everyone who begins to pay gets a " +
      "checkout, whose record has the link's id. A link for one payment is paid once, whoever is first.",
    request: paymentLinkRequestSchema,
    responses: {
      201: {
        description: "Created, with status ACTIVE",
        body: paymentLinkSchema,
        headers: { Location: "/api/payment-links/{paymentLinkId}" },
      },
    },
    problems: [...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "outcome_unknown"],
  },

  listPaymentLinks: {
    subject: "payments.read-payment-links",
    payload: partOfListSchema,
    result: listPartSchema(paymentLinkRecordSchema),
    method: "GET",
    path: "/api/payment-links",
    summary: "List payment links",
    description: `Returns the merchant's payment links, newest first. ${WITH_ROWS}`,
    queryParameters: z.object({ ...pageQuery, ...exportQuery }),
    responses: {
      200: {
        description: "One page of payment links",
        body: pageOf(paymentLinkSchema, "newest first").meta({ id: "PaymentLinkPage" }),
        rows: true,
      },
    },
    problems: ["validation_failed"],
  },

  getPaymentLink: {
    subject: "payments.read-payment-link",
    result: paymentLinkRecordSchema,
    method: "GET",
    path: "/api/payment-links/{paymentLinkId}",
    summary: "Get a payment link",
    description:
      "Returns the link; with `Accept: image/svg+xml` its address as a QR code to print or to show.",
    pathParameters: linkPath,
    notFound: "payment_link_not_found",
    responses: { 200: { description: "The payment link", body: paymentLinkSchema } },
    problems: ["payment_link_not_found"],
  },

  disablePaymentLink: {
    subject: "payments.end-payment-link",
    payload: endPaymentLinkSchema,
    result: paymentLinkRecordSchema,
    method: "POST",
    path: "/api/payment-links/{paymentLinkId}/disable",
    work: "write",
    summary: "Disable a payment link",
    description:
      "Ends the link for good: nobody can begin to pay, and no checkout that was made from it begins a payment. A payment " +
      "that is under way still ends as the bank decides.",
    pathParameters: linkPath,
    notFound: "payment_link_not_found",
    responses: { 200: { description: "The payment link, DISABLED", body: paymentLinkSchema } },
    problems: ["payment_link_not_found", ...IDEMPOTENCY_PROBLEMS, "outcome_unknown"],
  },
});
