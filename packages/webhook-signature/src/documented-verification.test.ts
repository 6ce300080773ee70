// The documents' code for merchants without the client judges, as it stands there, like the gateway's own verifier.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signWebhook, signWebhookV2 } from "./sign-webhook.ts";
import { verifyWebhook } from "./verify-webhook.ts";

type Headers = Record<string, string | undefined>;
type IsAuthentic = (body: Uint8Array, headers: Headers, secret: string, now?: number) => boolean;

const docs = join(import.meta.dirname, "..", "..", "..", "docs");
const secret = "whs_abcdefghijklmnopqrstuvwxyz0123456789abcdefg";
const now = 1_790_000_000_000;
const body = Buffer.from('{ "paymentId":"1", "amount":12.50, "name":"Şule 😀" }');

function signed(time: number, under = secret): Headers {
  return {
    "x-request-time": String(time),
    "x-request-signature": signWebhook(under, String(time), body),
    "x-event-id": "0199",
    "x-event-type": "payment.status_changed",
  };
}

/** Adds the second signature, over the id and the type of {@link signed}. */
function signedTwice(): Headers {
  const event = { time: String(now), eventId: "0199", eventType: "payment.status_changed" };
  return { ...signed(now), "x-request-signature-v2": signWebhookV2(secret, event, body) };
}

const WEBHOOKS: [name: string, headers: Headers, accepted: boolean, received?: Buffer][] = [
  ["authentic", signed(now), true],
  ["with both signatures", signedTwice(), true],
  ["replayed under another id", { ...signedTwice(), "x-event-id": "0200" }, false],
  ["replayed as another event", { ...signedTwice(), "x-event-type": "payment.captured" }, false],
  ["of nearly five minutes ago", signed(now - 299_000), true],
  ["of five minutes ago", signed(now - 301_000), false],
  ["of the future", signed(now + 301_000), false],
  ["signed with another secret", signed(now, "whs_other"), false],
  ["changed on the way", signed(now), false, Buffer.from('{"paymentId":"1"}')],
  ["with another time", { ...signed(now), "x-request-time": String(now - 1) }, false],
  ["without a time", { ...signed(now), "x-request-time": undefined }, false],
  ["without a signature", { ...signed(now), "x-request-signature": undefined }, false],
  ["with a short signature", { ...signed(now), "x-request-signature": "ab12" }, false],
  ["with a signature that is no hex", { ...signed(now), "x-request-signature": "x".repeat(64) }, false],
];

describe.each(["merchant/webhooks.md"])("docs/%s", (document) => {
  test.each(WEBHOOKS)("a webhook %s", async (_name, headers, accepted, received = body) => {
    const isAuthentic = await programOf(document);
    expect(isAuthentic(received, headers, secret, now)).toBe(accepted);
    expect(verifyWebhook({ headers, body: received }, { secret, now }).valid).toBe(accepted);
  });
});

async function programOf(document: string): Promise<IsAuthentic> {
  const [, code = ""] = /^```js\n([^]*?)^```$/m.exec(readFileSync(join(docs, document), "utf8")) ?? [];
  const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  const { isAuthentic } = (await import(url)) as { isAuthentic: IsAuthentic };
  return isAuthentic;
}
