import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { signWebhook, signWebhookV2 } from "./sign-webhook.ts";
import { verifyWebhook, type ReceivedWebhook, type WebhookFault } from "./verify-webhook.ts";

const now = 1_790_000_000_000;
const secret = "whs_abcdefghijklmnopqrstuvwxyz0123456789abcdefg";
const body = Buffer.from('{"paymentId":"1","amount":12.50,"name":"Ştefan 😀"}');
const digestOf = (bytes: Buffer) => `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;

function webhook(headers: Record<string, string | string[] | undefined> = {}, sent = body): ReceivedWebhook {
  const time = String(now - 100);
  return {
    headers: {
      "x-request-time": time,
      "x-request-signature": signWebhook(secret, time, body),
      "x-event-id": "0199",
      "x-event-type": "payment.status_changed",
      ...headers,
    },
    body: sent,
  };
}

test("the signature is the spec's: HMAC-SHA-256 over time, colon and raw bytes, in lower-case hex", () => {
  const expected = createHmac("sha256", secret)
    .update(Buffer.concat([Buffer.from("123:"), body]))
    .digest("hex");
  expect(signWebhook(secret, "123", body)).toBe(expected);
  expect(signWebhook("key", "1", Buffer.from("{}"))).toBe(
    createHmac("sha256", "key").update("1:{}").digest("hex"),
  );
});

test("an authentic and fresh webhook is valid", () => {
  expect(verifyWebhook(webhook(), { secret, now })).toEqual({
    valid: true,
    eventId: "0199",
    eventType: "payment.status_changed",
    requestTime: now - 100,
  });
});

const upper = signWebhook(secret, String(now - 100), body).toUpperCase();
const otherSecret = "whs_other";
const signedBy = (key: string) => signWebhook(key, String(now - 100), body);

const faults: [
  name: string,
  received: ReceivedWebhook,
  reason: WebhookFault,
  says: RegExp,
  given?: string,
][] = [
  ["no time", webhook({ "x-request-time": undefined }), "header_missing", /x-request-time/],
  ["no signature", webhook({ "x-request-signature": undefined }), "header_missing", /x-request-signature/],
  ["two signatures", webhook({ "x-request-signature": ["a", "b"] }), "header_repeated", /2 times/],
  ["a time in seconds", webhook({ "x-request-time": "1790000000" }), "time_malformed", /seconds/],
  ["a time in words", webhook({ "x-request-time": "2026-11-20T00:00:00Z" }), "time_malformed", /Unix time/],
  ["an old time", webhook({ "x-request-time": String(now - 300_001) }), "time_too_old", /300 s old/],
  ["a time to come", webhook({ "x-request-time": String(now + 300_001) }), "time_in_future", /behind/],
  ["upper case", webhook({ "x-request-signature": upper }), "signature_malformed", /upper case/],
  ["a short signature", webhook({ "x-request-signature": "ab" }), "signature_malformed", /2 characters/],
  [
    "another secret",
    webhook({ "content-digest": digestOf(body) }),
    "wrong_secret",
    /not the secret/,
    otherSecret,
  ],
  ["a secret with a line break", webhook(), "wrong_secret", /white space/, `${secret}\n`],
  ["a secret in quotes", webhook(), "wrong_secret", /quotes/, `"${secret}"`],
  ["a secret without its prefix", webhook(), "wrong_secret", /prefix/, secret.slice(4)],
  [
    "the next secret",
    webhook({ "x-request-signature-next": signedBy(otherSecret) }),
    "signed_with_next_secret",
    /activ/,
    otherSecret,
  ],
  [
    "another body",
    webhook({ "content-digest": digestOf(body) }, Buffer.from("{}")),
    "body_changed",
    /not the bytes/,
  ],
  ["an empty body", webhook({ "content-digest": digestOf(body) }, Buffer.alloc(0)), "body_changed", /empty/],
  ["another body, no digest", webhook({}, Buffer.from("<xml/>")), "signature_mismatch", /not JSON/],
];

test.each(faults)("%s is told apart", (_name, received, reason, says, given = secret) => {
  const verdict = verifyWebhook(received, { secret: given, now });
  expect(verdict).toMatchObject({ valid: false, reason });
  expect(verdict).toHaveProperty("detail", expect.stringMatching(says));
});

test("the last moment of the tolerance still counts", () => {
  const time = String(now - 300_000);
  const headers = { "x-request-time": time, "x-request-signature": signWebhook(secret, time, body) };
  expect(verifyWebhook(webhook(headers), { secret, now }).valid).toBe(true);
});

test("the second signature covers the event's id and type", () => {
  const time = String(now - 100);
  const event = { time, eventId: "0199", eventType: "payment.status_changed" };
  const signatureV2 = signWebhookV2(secret, event, body);
  expect(signatureV2).toBe(
    createHmac("sha256", secret).update(`v2:${time}:0199:payment.status_changed:`).update(body).digest("hex"),
  );
  const sent = { "x-request-signature-v2": signatureV2 };
  expect(verifyWebhook(webhook(sent), { secret, now }).valid).toBe(true);
  for (const changed of [
    { "x-event-id": "0200" },
    { "x-event-id": undefined },
    { "x-event-type": "payment.captured" },
    { "x-event-id": "0199:payment", "x-event-type": "status_changed" },
    { "x-request-signature-v2": signWebhookV2(otherSecret, event, body) },
    { "x-request-signature-v2": signedBy(secret) },
    { "x-request-signature-v2": [signatureV2, signatureV2] },
    { "x-request-signature-v2": "" },
    { "x-request-signature-v2": "é".repeat(64) },
  ])
    expect(verifyWebhook(webhook({ ...sent, ...changed }), { secret, now })).toMatchObject({
      valid: false,
      reason: "event_changed",
    });
});
