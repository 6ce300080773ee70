import { z } from "zod";

export const timeZoneSchema = z
  .string()
  .refine((zone) => zone === "UTC" || Intl.supportedValuesOf("timeZone").includes(zone), {
    error: "must be an IANA time zone such as Europe/Istanbul",
    params: { code: "invalid_value" },
  })
  .meta({ description: "IANA time zone of the bank", examples: ["Europe/Istanbul"] });

export const cutOffSchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, HH:MM" })
  .meta({ description: "Time of day in that zone at which the bank's day ends, HH:MM", examples: ["23:00"] });

/** The end of a bank's days. */
export const businessDaySchema = z.object({ timeZone: timeZoneSchema, cutOff: cutOffSchema }).meta({
  description: "When the bank's day ends",
  examples: [{ timeZone: "Europe/Istanbul", cutOff: "23:00" }],
});
