import { z } from "zod";
import { BODY_PROBLEMS, only, pathId } from "../http/endpoint.ts";
import { exportQuery, pagePayload, pageQuery, WITH_ROWS } from "../http/list-query.ts";
import {
  webhookBodySchema,
  webhookDeliveryDetailSchema,
  webhookDeliveryPageSchema,
  webhookDeliveryStatusSchema,
  webhookTestResultSchema,
} from "../http/webhook-delivery.ts";
import { secretActivatesAt, webhookUrlSchema } from "../http/webhook-endpoints.ts";
import { livemodeParameter } from "../livemode.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import { defineOperatorOperations } from "./define-operations.ts";
import { recipient, secret } from "./webhook-endpoints.ts";

/** A change of an endpoint that waits for no outside server. */
const CHANGE = { role: "onboarder", work: "write" } as const;

const ofMerchant = {
  pathParameters: z.object({ merchantId: pathId("Id of the merchant") }),
  queryParameters: z.object({ livemode: livemodeParameter }),
} as const;

const eventPath = z.object({ eventId: pathId("Id of the event: the webhook's x-event-id") });

const sentTo = z.string().meta({ description: "Where events are sent" });

const hideSchema = z.literal("skipped", { error: "must be skipped" });

const queued = {
  202: {
    description: "Number of events queued to be sent again",
    body: z
      .object({ queued: z.int().meta({ description: "Number of events that are queued to be sent again" }) })
      .meta({ id: "QueuedRedeliveries" }),
  },
};

/** A merchant's default endpoint, and the delivery log. */
export const webhookOperations = defineOperatorOperations({
  putMerchantWebhook: {
    subject: "webhooks.put-endpoint",
    payload: z.object({ merchantId: z.uuid(), url: z.string(), ...recipient }),
    result: z.object({ url: z.string(), secret: sealedReplySchema.optional() }),
    method: "PUT",
    path: "/operator/merchants/{merchantId}/webhook",
    role: "onboarder",
    summary: "Set a merchant's webhook URL",
    description:
      "Turns a merchant's default endpoint on, or changes its URL. The secret is shown only once, when webhooks are " +
      "turned on. The URL must be https, without user name or password, on an allowed port and at a public " +
      "address.",
    ...ofMerchant,
    notFound: "merchant_not_found",
    request: z
      .object({
        url: webhookUrlSchema,
      })
      .meta({ id: "PutWebhookRequest" }),
    responses: {
      201: {
        description: "Webhooks are on; the secret is shown only once",
        body: z.object({ url: sentTo, secret }).meta({ id: "CreatedWebhook" }),
      },
      200: { description: "The URL was changed", body: z.object({ url: sentTo }).meta({ id: "Webhook" }) },
    },
    problems: [...BODY_PROBLEMS, "merchant_not_found", "webhook_url_in_use", "outcome_unknown", "forbidden"],
  },

  deleteMerchantWebhook: {
    ...CHANGE,
    method: "DELETE",
    path: "/operator/merchants/{merchantId}/webhook",
    summary: "Remove a merchant's default webhook endpoint",
    description:
      "Removes the default endpoint and cancels its pending deliveries. Further endpoints stay as they are.",
    ...ofMerchant,
    notFound: "webhook_not_found",
    responses: { 204: { description: "The endpoint is removed" } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  rotateMerchantWebhookSecret: {
    ...CHANGE,
    method: "POST",
    path: "/operator/merchants/{merchantId}/webhook/rotate-secret",
    summary: "Rotate a merchant's webhook secret",
    description:
      "Generates a new secret, which is shown only once. The old secret continues to sign `x-request-signature` until the " +
      "new one is activated, by `activate-secret` or automatically at `activatesAt`; until then the new secret signs " +
      "`x-request-signature-next`.",
    ...ofMerchant,
    notFound: "webhook_not_found",
    responses: {
      200: {
        description: "The new secret and the time at which it replaces the old one",
        body: z.object({ secret, activatesAt: secretActivatesAt }).meta({ id: "RotatedWebhookSecret" }),
      },
    },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  activateMerchantWebhookSecret: {
    ...CHANGE,
    method: "POST",
    path: "/operator/merchants/{merchantId}/webhook/activate-secret",
    summary: "Activate a merchant's new webhook secret",
    description:
      "The new secret signs `x-request-signature` from now on. Repeating the request changes nothing.",
    ...ofMerchant,
    notFound: "webhook_not_found",
    responses: { 204: { description: "The new secret is active" } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  testMerchantWebhook: {
    method: "POST",
    path: "/operator/merchants/{merchantId}/webhook/test",
    role: "onboarder",
    summary: "Send a test webhook",
    description: "Sends a signed event of type `webhook.test` immediately.",
    ...ofMerchant,
    notFound: "webhook_not_found",
    responses: { 200: { description: "Result of the delivery", body: webhookTestResultSchema } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  listWebhookDeliveries: {
    subject: "webhooks.list-deliveries",
    payload: z.object({
      merchantId: z.uuid().optional(),
      endpointId: z.uuid().optional(),
      paymentId: z.uuid().optional(),
      /** The mode to list; both without it. */
      livemode: z.boolean().optional(),
      status: webhookDeliveryStatusSchema.optional(),
      hide: hideSchema.optional(),
      ...pagePayload,
    }),
    method: "GET",
    path: "/operator/webhook-deliveries",
    role: "viewer",
    summary: "List webhook deliveries",
    description: `Returns the delivery log, newest first. ${WITH_ROWS}`,
    queryParameters: z.object({
      merchantId: only("deliveries of this merchant", z.uuid()),
      endpointId: only("deliveries to this endpoint; without it, those to default endpoints", z.uuid()),
      paymentId: only("deliveries about this payment or refund", z.uuid()),
      livemode: livemodeParameter,
      status: only("deliveries in this state", webhookDeliveryStatusSchema),
      hide: hideSchema.optional().meta({
        description:
          "`skipped` leaves out those that were skipped or cancelled, where no `status` is asked for. A page may then have " +
          "fewer entries than its `limit`, or none, and a next page",
      }),
      ...pageQuery,
      ...exportQuery,
    }),
    responses: {
      200: { description: "One page of deliveries", body: webhookDeliveryPageSchema, rows: true },
    },
    problems: ["validation_failed", "forbidden"],
  },

  getWebhookDelivery: {
    subject: "webhooks.get-delivery",
    method: "GET",
    path: "/operator/webhook-deliveries/{eventId}",
    role: "viewer",
    summary: "Get a webhook delivery",
    description: "Returns the delivery of one event with its attempts, oldest first.",
    pathParameters: eventPath,
    notFound: "delivery_not_found",
    responses: { 200: { description: "The delivery", body: webhookDeliveryDetailSchema } },
    problems: ["delivery_not_found", "forbidden"],
  },

  getWebhookBody: {
    subject: "webhooks.read-body",
    method: "GET",
    path: "/operator/webhook-deliveries/{eventId}/body",
    // It has the buyer's name and the card's masked number, which the people who look after deliveries need.
    role: "operations",
    summary: "Get the body of a webhook",
    description:
      "Returns the body that is sent for one event, with card numbers masked as they are sent. Each reading is in the " +
      "audit log.",
    pathParameters: eventPath,
    notFound: "delivery_not_found",
    responses: { 200: { description: "The body", body: webhookBodySchema } },
    problems: ["delivery_not_found", "forbidden"],
  },

  redeliverWebhook: {
    subject: "webhooks.redeliver",
    role: "operations",
    work: "write",
    method: "POST",
    path: "/operator/webhook-deliveries/{eventId}/redeliver",
    summary: "Resend a webhook",
    description:
      "Sends one event again immediately, whatever its status: to the endpoint that is named, or to all that it was " +
      "for. The extra attempt does not change the schedule, and ends it when it succeeds.",
    pathParameters: eventPath,
    request: z
      .object({
        endpointId: z.uuid().optional().meta({ description: "An endpoint of the event's merchant" }),
      })
      .meta({ id: "RedeliverWebhookRequest" }),
    bodyOptional: true,
    notFound: "delivery_not_found",
    responses: queued,
    problems: [
      ...BODY_PROBLEMS,
      "delivery_not_found",
      "webhook_not_found",
      "webhook_switched_off",
      "outcome_unknown",
      "forbidden",
    ],
  },

  redeliverFailedWebhooks: {
    subject: "webhooks.redeliver-failed",
    /** Without a time it counts the pending ones. */
    payload: z.object({
      merchantId: z.uuid(),
      since: z.iso.datetime({ offset: true }).optional(),
      endpointId: z.uuid().optional(),
    }),
    role: "operations",
    work: "write",
    method: "POST",
    path: "/operator/webhook-deliveries/redeliver",
    summary: "Resend failed or waiting webhooks of a merchant",
    description:
      "Sends again all events of a merchant that have failed since a given time, each to the endpoints at which it " +
      "failed; without `since` all that wait for their next attempt, such as once an endpoint works again. Oldest first " +
      "and at most 10000 in one call. Events that are already queued are left out. The extra attempts do not change the " +
      "schedule, and each ends it when it succeeds.",
    request: z
      .object({
        merchantId: z.uuid().meta({ description: "Id of the merchant" }),
        livemode: z.boolean().optional().meta({ description: "Defaults to true" }),
        since: z.iso
          .datetime({ offset: true })
          .optional()
          .meta({ description: "Only events that failed, and happened at or after this time" }),
        endpointId: z.uuid().optional().meta({ description: "Only to this endpoint of the merchant" }),
      })
      .meta({ id: "RedeliverFailedRequest" }),
    responses: queued,
    problems: [...BODY_PROBLEMS, "webhook_not_found", "webhook_switched_off", "outcome_unknown", "forbidden"],
  },
});
