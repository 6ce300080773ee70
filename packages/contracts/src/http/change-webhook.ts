import { z } from "zod";
import { EVENT_TYPES, eventTypeSchema, PAYMENT_STATUS_CHANGED } from "../event-types.ts";
import type { FieldCode } from "../field-codes.ts";
import { whileOffSchema } from "./merchant-webhooks.ts";
import { readVersionSchema } from "./read-version.ts";
import { webhookUrlSchema } from "./webhook-endpoints.ts";
import { webhookHeadersSchema } from "./webhook-headers.ts";

/** Distinct, so that two lists of the same events are equal. */
export const webhookEventsSchema = z
  .array(eventTypeSchema)
  .min(1)
  .max(EVENT_TYPES.length)
  .refine((events) => new Set(events).size === events.length, {
    error: "must not name an event twice",
    params: { code: "duplicate" },
  })
  .meta({ description: "The events that are sent to it", examples: [[PAYMENT_STATUS_CHANGED]] });

/** Fields that are left out keep their values. Both ways of switching ask for a choice. */
export const changeWebhookRequestSchema = z
  .object({
    version: readVersionSchema.optional(),
    url: webhookUrlSchema.optional(),
    events: webhookEventsSchema.optional(),
    headers: webhookHeadersSchema.optional(),
    enabled: z.boolean().optional().meta({ description: "Switches the endpoint on or off" }),
    whileOff: whileOffSchema.optional(),
    waiting: z
      .enum(["deliver", "discard"])
      .optional()
      .meta({ description: "What becomes of the events that wait; with `enabled: true`, and only then" }),
  })
  .check(({ value, issues }) => {
    const choices = [
      ["whileOff", false],
      ["waiting", true],
    ] as const;
    for (const [field, belongsTo] of choices) {
      const belongs = value.enabled === belongsTo;
      if (belongs === (value[field] !== undefined)) continue;
      const code: FieldCode = belongs ? "required" : "not_allowed";
      const message = `${belongs ? "is required" : "is only allowed"} with enabled: ${belongsTo}`;
      issues.push({ code: "custom", input: value, path: [field], params: { code }, message });
    }
  })
  .meta({ id: "ChangeWebhookRequest" });
