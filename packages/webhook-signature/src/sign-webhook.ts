import { createHmac } from "node:crypto";

/**
 * The spec's headers, and ours: the signature under a secret that is not active yet, signatures that cover the event's id
 * and type as well, and a digest of the body alone.
 */
export const WEBHOOK_HEADERS = {
  time: "x-request-time",
  signature: "x-request-signature",
  nextSignature: "x-request-signature-next",
  signatureV2: "x-request-signature-v2",
  nextSignatureV2: "x-request-signature-v2-next",
  eventId: "x-event-id",
  eventType: "x-event-type",
  /** RFC 9530: distinguishes a body that was changed on the way from a wrong secret. */
  contentDigest: "content-digest",
} as const;

/**
 * The spec's signature: lower-case hex HMAC-SHA-256, keyed with the secret's UTF-8 bytes, over the request time, a colon,
 * and the body's bytes.
 */
export function signWebhook(secret: string, requestTime: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(`${requestTime}:`).update(body).digest("hex");
}

/** The headers of a webhook that its second signature covers, beside its body. */
export type SignedHeaders = { time: string; eventId: string; eventType: string };

/**
 * The second signature, made in the same way over `v2:`, the request time, the event's id, its type and the
 * body's bytes, separated by colons. It cannot be mistaken for the first signature, whose text begins with
 * digits.
 */
export function signWebhookV2(
  secret: string,
  { time, eventId, eventType }: SignedHeaders,
  body: Uint8Array,
): string {
  return createHmac("sha256", secret)
    .update(`v2:${time}:${eventId}:${eventType}:`)
    .update(body)
    .digest("hex");
}
