import { z } from "zod";
import { ENDPOINT_CHANGES, WARNING_REASONS } from "../event-types.ts";
import { livemodeSchema } from "../livemode.ts";
import { webhookManagersSchema } from "./merchant-webhooks.ts";

const DONE_BY = "Who has done it: the gateway's `operators`, your `staff`, or an API key of yours (`api`)";

/**
 * The body of `webhook.disabled_warning`, which a merchant's other endpoints get. It names the endpoint by its id: the
 * URL may carry a secret that is not for the other endpoints' owners.
 */
export const webhookWarningSchema = z
  .object({
    endpointId: z.uuid().meta({ description: "The endpoint that it is about; `GET /api/webhooks` lists it" }),
    default: z.boolean().meta({ description: "Whether that is your default endpoint" }),
    reason: z.enum(WARNING_REASONS).meta({
      description:
        "FAILING: no attempt has succeeded for a while, and what waits is given up after 48 hours; TURNED_OFF: the " +
        "endpoint was removed, and what waited there is cancelled; SWITCHED_OFF: nothing is sent there until it is " +
        "switched on again; SWITCHED_ON: it is",
    }),
    failingSince: z.iso
      .datetime()
      .optional()
      .meta({ description: "The first failure after the last success; with FAILING" }),
    lostFrom: z.iso.datetime().optional().meta({
      description: "When the first event that waits there is given up; with FAILING, while one waits",
    }),
    by: webhookManagersSchema.optional().meta({ description: `${DONE_BY}; absent with FAILING` }),
  })
  .meta({
    id: "WebhookWarning",
    description: "An endpoint of yours that gets no events, or gets them again",
  });
export type WebhookWarning = z.infer<typeof webhookWarningSchema>;

/**
 * The body of `webhook.endpoint_changed`, which a merchant's other endpoints get: whoever did not make the change learns
 * of it. Its URL stays out, as in a warning.
 */
export const webhookEndpointChangeSchema = z
  .object({
    endpointId: z.uuid().meta({ description: "The endpoint that it is about; `GET /api/webhooks` lists it" }),
    default: z.boolean().meta({ description: "Whether that is your default endpoint" }),
    change: z.enum(ENDPOINT_CHANGES).meta({
      description:
        "ADDED: it is new; CHANGED: `fields` says what is different; SECRET_ROTATED: it has a new secret, which waits; " +
        "SECRET_ACTIVATED: the new secret signs",
    }),
    fields: z
      .array(z.enum(["url", "events", "headers"]))
      .optional()
      .meta({ description: "The changed parts; with CHANGED" }),
    by: webhookManagersSchema.meta({ description: DONE_BY }),
  })
  .meta({ id: "WebhookEndpointChange", description: "An endpoint of yours was added or changed" });
export type WebhookEndpointChange = z.infer<typeof webhookEndpointChangeSchema>;

/** The body of `webhook.test`, which is about no payment. */
export const webhookTestBodySchema = z
  .object({
    test: z.literal(true).meta({ description: "Tells a test from an event" }),
    endpointId: z.uuid().meta({ description: "The endpoint that is tried" }),
    livemode: livemodeSchema,
    sentAt: z.iso.datetime().meta({ description: "When it was sent (UTC)" }),
  })
  .meta({ id: "WebhookTest", description: "A test; it is about no payment" });
export type WebhookTestBody = z.infer<typeof webhookTestBodySchema>;
