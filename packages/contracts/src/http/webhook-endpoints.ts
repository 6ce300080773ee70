import { z } from "zod";
import { cardNumberFree } from "../card-number.ts";

/** The operator API's webhook part: a merchant's default endpoint, and the delivery log. */

export const webhookUrlSchema = z
  .string()
  .max(2_048, { abort: true })
  .check(cardNumberFree)
  .meta({
    format: "uri",
    pattern: "^https://",
    description: "Where events are sent: an https URL without user name and password, at a public address",
    examples: ["https://shop.example/webhooks"],
  });

/** The time at which the next secret of an endpoint replaces the present one. */
export const secretActivatesAt = z.iso
  .datetime()
  .meta({ description: "When the new secret replaces the old one by itself (UTC)" });
