import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { signWebhook, signWebhookV2, WEBHOOK_HEADERS } from "@holdfast/webhook-signature";
import { Agent } from "undici";

export type Webhook = { url: string; secret: string; eventId: string; eventType: string; body: Buffer };

/** The least that makes a webhook: sign the bytes, post them over a warm TLS connection, look at the status. */
export function createSignAndPost(options: {
  caFile: string;
  connectionsMax: number;
}): (webhook: Webhook) => Promise<number> {
  const agent = new Agent({
    connections: options.connectionsMax,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    connect: { ca: readFileSync(options.caFile, "utf8") },
  });
  return async ({ url, secret, eventId, eventType, body }) => {
    const { origin, pathname } = new URL(url);
    const time = String(Date.now());
    const { statusCode, body: answer } = await agent.request({
      origin,
      path: pathname,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "bare",
        [WEBHOOK_HEADERS.time]: time,
        [WEBHOOK_HEADERS.signature]: signWebhook(secret, time, body),
        [WEBHOOK_HEADERS.signatureV2]: signWebhookV2(secret, { time, eventId, eventType }, body),
        [WEBHOOK_HEADERS.eventId]: eventId,
        [WEBHOOK_HEADERS.eventType]: eventType,
        [WEBHOOK_HEADERS.contentDigest]: `sha-256=:${createHash("sha256").update(body).digest("base64")}:`,
      },
      body,
    });
    await answer.dump();
    return statusCode;
  };
}
