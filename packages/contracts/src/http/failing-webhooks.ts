import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { webhookEndpointSchema } from "./merchant-webhooks.ts";
import { webhookErrorSchema } from "./webhook-errors.ts";

/** The most endpoints of one answer; its total counts all of them. */
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
