import { createHmac } from "node:crypto";

/**
 * The spec's headers, and two of ours: the signature under a secret that is not active yet, and a digest of the body
 * alone.
 */
export const WEBHOOK_HEADERS = {
  time: "x-request-time",
  signature: "x-request-signature",
  nextSignature: "x-request-signature-next",
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
