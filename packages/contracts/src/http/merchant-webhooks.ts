import { z } from "zod";
import { eventTypeSchema } from "../event-types.ts";

/**
 * Several webhook endpoints of one merchant, each with the events it wants, its own secret and its own health. The
 * default one, whose id is the merchant's, is here as well as under `/webhook`.
 */

const time = (description: string) => z.iso.datetime().optional().meta({ description });

export const webhookEndpointSchema = z
  .object({
    endpointId: z.uuid().meta({
      description:
        "Id of the endpoint; that of the default one is the merchant's, in test mode with version 8",
    }),
    default: z.boolean().meta({ description: "Whether it is the merchant's default endpoint" }),
    url: z.string().meta({ description: "Where events are sent" }),
    events: z.array(eventTypeSchema).meta({ description: "The events that are sent to it" }),
    createdAt: z.iso.datetime().meta({ description: "When it was added (UTC)" }),
    secretVersion: z.int().meta({ description: "Version of the secret that signs `x-request-signature`" }),
    nextSecretVersion: z
      .int()
      .optional()
      .meta({ description: "Version of the secret that signs `x-request-signature-next`" }),
    activatesAt: time("When the next secret replaces the present one"),
    health: z
      .object({
        breaker: z.enum(["closed", "open"]).meta({
          description: "`open` after several failures: one request at a time is sent until one succeeds",
        }),
        lastSuccessAt: time("The latest attempt that succeeded"),
        lastFailureAt: time("The latest attempt that failed"),
        failingSince: time("The first failure after the last success; absent while it does not fail"),
        oldestDueAt: time("Since when the oldest delivery that waits has been due"),
      })
      .meta({ id: "WebhookHealth", description: "As the dispatchers last reported it, some seconds ago" }),
  })
  .meta({ id: "WebhookEndpoint", description: "An address that events are sent to" });

export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;

export const webhookEndpointListSchema = z
  .object({
    items: z
      .array(webhookEndpointSchema)
      .meta({ description: "The endpoints that are on, the default one first" }),
  })
  .meta({ id: "WebhookEndpointList" });
