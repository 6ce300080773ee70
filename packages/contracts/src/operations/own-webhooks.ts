import { z } from "zod";
import { pathId } from "../http/endpoint.ts";
import { webhookEndpointListSchema } from "../http/merchant-webhooks.ts";
import { webhookTestResultSchema } from "../http/webhook-delivery.ts";
import { defineMerchantOperations } from "./define-operations.ts";

/** A merchant's own view of its webhook endpoints. */
export const ownWebhookOperations = defineMerchantOperations({
  listWebhooks: {
    subject: "webhooks.list-own-endpoints",
    method: "GET",
    path: "/api/webhooks",
    summary: "List your webhook endpoints",
    description:
      "Returns your endpoints, each with its events and its health: when an attempt last succeeded, and since when it " +
      "fails. Secrets are never shown.",
    responses: { 200: { description: "All your endpoints", body: webhookEndpointListSchema } },
    problems: [],
  },

  testWebhook: {
    subject: "webhooks.try-own-endpoint",
    method: "POST",
    path: "/api/webhooks/{endpointId}/test",
    carriedOutEachTime: true,
    summary: "Send a test webhook to one of your endpoints",
    description:
      "Sends a signed event of type `webhook.test` immediately, once for each request, and returns what your server " +
      "answered. It is about no payment.",
    pathParameters: z.object({ endpointId: pathId("Id of the endpoint") }),
    notFound: "webhook_not_found",
    responses: { 200: { description: "Result of the delivery", body: webhookTestResultSchema } },
    problems: ["webhook_not_found", "outcome_unknown"],
  },
});
