import { z } from "zod";
import { webhookErrorSchema } from "./webhook-errors.ts";

/** The days for which hours are shown, where attempts are kept as long. */
export const WEBHOOK_HOURS_DAYS = 30;

const withinMs = (part: string) =>
  z
    .int()
    .optional()
    .meta({
      description:
        `Milliseconds within which ${part} of the answers came, whatever their status, rounded up by a fifth at most; ` +
        "absent where none came",
    });

/** An endpoint's health in one hour. */
export const webhookHourSchema = z
  .object({
    hour: z.iso.datetime().meta({ description: "Beginning of the hour (UTC)" }),
    sent: z.int().meta({ description: "Attempts that were made, by the schedule and by hand" }),
    answered: z.int().meta({ description: "Those that were answered with a 2xx status in time" }),
    failed: z
      .array(
        z.object({
          error: webhookErrorSchema,
          count: z.int().meta({ description: "Attempts that failed in this way" }),
        }),
      )
      .meta({ description: "The others, the most frequent reason first" }),
    p50Ms: withinMs("half"),
    p95Ms: withinMs("95 %"),
  })
  .meta({ id: "WebhookHour", description: "An endpoint's attempts of one hour" });

export type WebhookHour = z.infer<typeof webhookHourSchema>;

export const webhookHoursSchema = z
  .object({
    items: z.array(webhookHourSchema).meta({ description: "The hours with attempts, newest first" }),
  })
  .meta({ id: "WebhookHours" });
