import { z } from "zod";
import { cardNumberFree } from "../card-number.ts";

/**
 * Headers that an endpoint's owner adds to every request to it. A value may be a password of the owner's server, so it is
 * a secret: it is never shown again, and crosses the bus sealed to the dispatcher.
 */

export const WEBHOOK_HEADERS_MAX = 10;

/** Headers of the protocol or of ours, those that a later release may send included. */
const TAKEN: ReadonlySet<string> = new Set([
  "accept-encoding",
  "baggage",
  "connection",
  "date",
  "digest",
  "early-data",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "idempotency-key",
  "keep-alive",
  "max-forwards",
  "range",
  "repr-digest",
  "signature",
  "signature-input",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "true-client-ip",
  "upgrade",
  "user-agent",
  "via",
  "x-real-ip",
]);
const TAKEN_BEGINNINGS = [
  "content-",
  "holdfast-",
  "if-",
  "proxy-",
  "sec-",
  "webhook-",
  "x-event-",
  "x-forwarded",
  "x-request-",
];

/** Receivers behind CGI (RFC 3875) read `x_event_id` and `x.event.id` as `x-event-id`. */
function isTaken(name: string): boolean {
  const read = name.toLowerCase().replace(/[^a-z0-9]/g, "-");
  return TAKEN.has(read) || TAKEN_BEGINNINGS.some((beginning) => read.startsWith(beginning));
}

/** A token (RFC 9110, section 5.6.2). Names in capitals are the same names. */
const nameSchema = z
  .string()
  .min(1)
  .max(64, { abort: true })
  .refine((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/.test(name), {
    error: "must be letters, digits and the characters that a header's name may have",
    params: { code: "invalid_characters" },
  })
  .refine((name) => !isTaken(name), {
    error: "is a header of the protocol or of Holdfast's own",
    params: { code: "not_allowed" },
  })
  .check(cardNumberFree)
  .toLowerCase()
  .meta({
    pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    description:
      "Name of the header, in any case; none that the protocol or Holdfast uses, such as `host`, `content-…`, " +
      "`x-request-…` or `user-agent`",
    examples: ["x-tenant"],
  });

const valueSchema = z
  .string()
  .min(1)
  .max(1_024, { abort: true })
  .refine((value) => /^(?! )[\x20-\x7e]*(?<! )$/.test(value), {
    error: "must be printable ASCII without a space at either end",
    params: { code: "invalid_characters" },
  })
  .check(cardNumberFree);

const PATTERN = "^[!-~]([ -~]*[!-~])?$";

type Header = { name: string; value?: string | undefined };

/** Names are compared as receivers do, without regard to capitals. */
function distinctNames({ value, issues }: z.core.ParsePayload<Header[]>): void {
  const seen = new Set<string>();
  for (const [index, { name }] of value.entries()) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) {
      const message = "is the name of another header of the list";
      const params = { code: "duplicate" };
      issues.push({ code: "custom", input: name, path: [index, "name"], params, message });
    }
    seen.add(lower);
  }
}

/** The headers of a new endpoint. */
export const newWebhookHeadersSchema = z
  .array(
    z.object({
      name: nameSchema,
      value: valueSchema.meta({
        pattern: PATTERN,
        description: "Value; never shown again",
        examples: ["shop-7"],
      }),
    }),
  )
  .max(WEBHOOK_HEADERS_MAX)
  .check(distinctNames)
  .meta({ description: "Headers that every request to the endpoint gets" });

/** The headers that an endpoint has after a change. */
export const webhookHeadersSchema = z
  .array(
    z.object({
      name: nameSchema,
      value: valueSchema.optional().meta({
        pattern: PATTERN,
        description: "Value, never shown again; without it the header keeps its value",
        examples: ["shop-7"],
      }),
    }),
  )
  .max(WEBHOOK_HEADERS_MAX)
  .check(distinctNames)
  .meta({
    description:
      "All headers that every request to the endpoint gets; those that are left out are removed. Another URL needs the " +
      "values again",
  });

export type WebhookHeaders = z.infer<typeof webhookHeadersSchema>;

/** The headers as they are shown: with their names alone. */
export const shownWebhookHeadersSchema = z
  .array(z.object({ name: z.string().meta({ description: "Name" }) }))
  .meta({
    description: "Headers that every request to it gets, without their values; absent where there are none",
  });

/** The sealed content on the bus: headers, their owner and their URL, so that they cannot be moved to another request. */
export const sentWebhookHeadersSchema = z.object({
  /** The id of an endpoint that is changed, or of the merchant that gets a new one. */
  for: z.uuid(),
  /** The URL that they are given for: the endpoint has it after the change, or the change is refused. */
  url: z.string(),
  headers: webhookHeadersSchema,
});

export type SentWebhookHeaders = z.infer<typeof sentWebhookHeadersSchema>;
