import type { Endpoint } from "../http/endpoint.ts";
import { WITH_ROWS } from "../http/list-query.ts";
import type { Difference } from "./staff-endpoint.ts";
import { operations } from "./operations.ts";

/** The reads that any role may make, each with the operators' or merchants' endpoint for the same data. */
export const STAFF_READS: readonly (readonly [Endpoint, Omit<Difference, "role">])[] = [
  [
    operations.listPaymentsOfMerchants,
    {
      operationId: "listPaymentsAsStaff",
      path: "/staff/payments",
      summary: "List payments",
      description: `Returns the merchant's payments, newest first. ${WITH_ROWS}`,
    },
  ],
  [
    operations.getOperatorPayment,
    {
      operationId: "getPaymentAsStaff",
      path: "/staff/payments/{paymentId}",
      summary: "Get a payment",
      description:
        "Returns everything that is known of a payment: its history, captures and cancellations, refunds, webhooks, and " +
        "what the merchant's own staff have done about it.",
    },
  ],
  [
    operations.listRefunds,
    {
      operationId: "listRefundsAsStaff",
      path: "/staff/refunds",
      summary: "List refunds",
      description: `Returns the merchant's refunds, newest first; with \`status\` alone oldest first. ${WITH_ROWS}`,
    },
  ],
  [
    operations.getOperatorRefund,
    {
      operationId: "getRefundAsStaff",
      path: "/staff/refunds/{refundId}",
      summary: "Get a refund",
      description: "Returns a refund with its history.",
    },
  ],
  [
    operations.search,
    {
      operationId: "searchAsStaff",
      path: "/staff/search",
      summary: "Find a payment or a refund",
      description:
        "Finds what the text is the id, order number, bank reference, authorization code, customer, last four digits or " +
        "masked card number of, in the merchant's payments and refunds. A card number that is not masked is refused " +
        "(`card_number`).",
    },
  ],
  [
    operations.getFigures,
    {
      operationId: "getFiguresAsStaff",
      path: "/staff/figures",
      summary: "Get the sums of today's payments",
      description:
        "Returns what the merchant was paid today by hour, beside yesterday and the same day of last week, and the banks' " +
        "answers of today. Days and hours are in UTC.",
    },
  ],
  [
    operations.listChargebacks,
    {
      operationId: "listChargebacksAsStaff",
      path: "/staff/chargebacks",
      summary: "List chargebacks",
      description:
        "Returns the chargebacks of the merchant's payments, newest first. Which operators have worked on them is not shown.",
    },
  ],
  [
    operations.listCheckouts,
    {
      operationId: "listCheckoutsAsStaff",
      path: "/staff/checkouts",
      summary: "List checkouts",
      description: `Returns the merchant's checkouts, newest first, each with its latest payment. ${WITH_ROWS}`,
    },
  ],
  [
    operations.getCheckout,
    {
      operationId: "getCheckoutAsStaff",
      path: "/staff/checkouts/{checkoutId}",
      summary: "Get a checkout",
      description: "Returns the checkout with its latest payment.",
    },
  ],
  [
    operations.listStatements,
    {
      operationId: "listStatementsAsStaff",
      path: "/staff/statements",
      summary: "List statements",
      description:
        "Returns what is owed to the merchant for each day and currency, oldest first. With `Accept: text/csv`, " +
        "`application/x-ndjson` or `text/html` all of them come in one answer.",
    },
  ],
  [
    operations.listMerchantWebhooks,
    {
      operationId: "listWebhooksAsStaff",
      path: "/staff/webhooks",
      summary: "List webhook endpoints",
      description: "Returns the endpoints that are on with their health, the default one first.",
    },
  ],
  [
    operations.getMerchantWebhookHealth,
    {
      operationId: "getWebhookHealthAsStaff",
      path: "/staff/webhooks/{endpointId}/health",
      summary: "Get a webhook endpoint's health by the hour",
      description:
        "Returns the attempts of each hour, how many were answered and failed, and how long answers took.",
    },
  ],
  [
    operations.listWebhookDeliveries,
    {
      operationId: "listWebhookDeliveriesAsStaff",
      path: "/staff/webhook-deliveries",
      summary: "List webhook deliveries",
      description: `Returns the merchant's delivery log, newest first. ${WITH_ROWS}`,
    },
  ],
  [
    operations.getWebhookDelivery,
    {
      operationId: "getWebhookDeliveryAsStaff",
      path: "/staff/webhook-deliveries/{eventId}",
      summary: "Get a webhook delivery",
      description: "Returns the delivery of one event with its attempts, oldest first.",
    },
  ],
  [
    operations.listPaymentLinks,
    {
      operationId: "listPaymentLinksAsStaff",
      path: "/staff/payment-links",
      summary: "List payment links",
      description: `Returns the merchant's payment links, newest first. ${WITH_ROWS}`,
    },
  ],
  [
    operations.getPaymentLink,
    {
      operationId: "getPaymentLinkAsStaff",
      path: "/staff/payment-links/{paymentLinkId}",
      summary: "Get a payment link",
      description: "Returns the link; with `Accept: image/svg+xml` its address as a QR code.",
    },
  ],
  [
    operations.getMerchant,
    {
      operationId: "getMerchantAsStaff",
      path: "/staff/merchant",
      summary: "Get the own merchant",
      description: "Returns the person's merchant with its API keys. Secrets are never shown.",
      mode: "none",
    },
  ],
];
