import { z } from "zod";
import { eventTypeSchema } from "../event-types.ts";
import { shownWebhookHeadersSchema } from "./webhook-headers.ts";

/**
 * Several webhook endpoints of one merchant, each with its events, its own secret and its own health. The
 * default one, whose id is the merchant's, is here as well as under `/webhook`.
 */

const time = (description: string) => z.iso.datetime().optional().meta({ description });

/** The most waiting webhooks that are counted. */
export const WAITING_COUNT_MAX = 10_000;

/**
 * The kinds of callers who may change a merchant's endpoints. A setting allows the named kind and the kinds
 * before it.
 */
export const WEBHOOK_MANAGERS = ["operators", "staff", "api"] as const;
export const webhookManagersSchema = z.enum(WEBHOOK_MANAGERS);
export type WebhookManagers = z.infer<typeof webhookManagersSchema>;

/** The value for merchants without this setting. */
export const WEBHOOK_MANAGERS_DEFAULT: WebhookManagers = "staff";

export const managedBySchema = webhookManagersSchema.meta({
  description:
    "Who may change the endpoints: `operators` alone, the merchant's `staff` in the console, too (the default), or also its " +
    "API keys (`api`)",
});

export const whileOffSchema = z.enum(["wait", "skip"]).meta({
  description:
    "The events that happen while it is off: `wait` keeps them until it is switched on, for as long as events are kept; " +
    "`skip` does not. What waited before waits in any case",
});

export const webhookEndpointSchema = z
  .object({
    endpointId: z.uuid().meta({
      description:
        "Id of the endpoint; that of the default one is the merchant's, in test mode with version 8",
    }),
    default: z.boolean().meta({ description: "Whether it is the merchant's default endpoint" }),
    url: z.string().meta({ description: "Where events are sent" }),
    events: z.array(eventTypeSchema).meta({ description: "The events that are sent to it" }),
    headers: shownWebhookHeadersSchema.optional(),
    version: z
      .int()
      .meta({ description: "Rises with every change of these; a change may name the one it was made from" }),
    enabled: z
      .boolean()
      .meta({ description: "`false` while it is switched off: nothing is sent to it but tests" }),
    whileOff: whileOffSchema.optional(),
    waitingCount: z
      .int()
      .optional()
      .meta({
        description:
          `How many events wait for it, counted up to ${WAITING_COUNT_MAX}: for their first or next attempt, or while it ` +
          "is off for it to be switched on",
      }),
    waitingUntil: time(
      "While it is off: until when the oldest of these is kept; a later one is kept as much longer",
    ),
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
      .meta({ description: "The endpoints, also those that are switched off, the default one first" }),
    managedBy: managedBySchema,
  })
  .meta({ id: "WebhookEndpointList" });
export type WebhookEndpointList = z.infer<typeof webhookEndpointListSchema>;

/** The dispatcher's list of endpoints, with the key to which headers are sealed on their way to it. */
export const listedWebhooksSchema = webhookEndpointListSchema.extend({ sealTo: z.string() });
export type ListedWebhooks = z.infer<typeof listedWebhooksSchema>;
