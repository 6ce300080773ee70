import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { defineEndpoint } from "./endpoint.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { webhookEndpointSchema } from "./merchant-webhooks.ts";
import { webhookErrorSchema } from "./webhook-errors.ts";

/** Most endpoints of one answer; its total counts all of them. */
export const FAILING_WEBHOOKS_MAX = 100;

/** An endpoint that fails, as the dispatcher knows it. */
export const failingWebhookSchema = webhookEndpointSchema
  .pick({ endpointId: true, default: true, url: true, health: true })
  .extend({
    merchantId: merchantIdSchema,
    livemode: livemodeSchema,
    lastError: webhookErrorSchema
      .optional()
      .meta({ description: "Why the latest attempt of the event that has waited longest failed" }),
    lastStatusCode: z.int().optional().meta({ description: "What the endpoint answered to it" }),
  });

const shownSchema = failingWebhookSchema
  .extend({ merchantName: z.string().optional().meta({ description: "Absent of a merchant that is gone" }) })
  .meta({ id: "FailingWebhookEndpoint" });

export const listFailingWebhooks = defineEndpoint({
  operationId: "listFailingWebhooks",
  listener: "operator",
  role: "viewer",
  method: "GET",
  path: "/operator/webhook-endpoints",
  summary: "List the webhook endpoints that fail, of all merchants",
  description:
    "Answers whose webhooks are late and why: endpoints that are on and whose latest attempt failed or whose breaker is " +
    `open, the one that has failed longest first, at most ${FAILING_WEBHOOKS_MAX}.`,
  responses: {
    200: {
      description: "Endpoints of both modes",
      body: z
        .object({
          items: z
            .array(shownSchema)
            .meta({ description: "The endpoints, the one that has failed longest first" }),
          total: z.int().meta({ description: "How many fail, whether or not they are in `items`" }),
        })
        .meta({ id: "FailingWebhookEndpointList" }),
    },
  },
  problems: ["forbidden"],
});
