import { EVENT_TYPES, isAboutPayment, WEBHOOK_TEST } from "@holdfast/contracts";
import { signWebhook, signWebhookV2 } from "@holdfast/webhook-signature";
import { expect, test } from "vitest";
import { verifyWebhook, type WebhookFault, type WebhookHeaders } from "./verify-webhook.ts";

const now = 1_790_000_000_000;
const [secret, nextSecret] = ["whs_active", "whs_next"];
const body = '{"paymentId":"1","amount":12.50,"status":"SUCCESS","name":"Ştefan 😀"}';
const bytes = new TextEncoder().encode(body);
const at = (time: number) => ({
  "x-request-time": String(time),
  "x-request-signature": signWebhook(secret, String(time), bytes),
  "x-event-id": "e-1",
  "x-event-type": "payment.status_changed",
});
const headers = at(now - 100);
const rotating = {
  ...headers,
  "x-request-signature-next": signWebhook(nextSecret, String(now - 100), bytes),
};
const verify = (sent: WebhookHeaders, keys: string | string[] = secret, raw: string | Uint8Array = body) =>
  verifyWebhook(raw, sent, keys, { now, requireV2: false });

test.each<[string, string | Uint8Array | ArrayBuffer]>([
  ["text", body],
  ["a Buffer", Buffer.from(body)],
  ["bytes", bytes],
  ["an ArrayBuffer", bytes.buffer],
])("what the gateway signed is valid as %s", async (_name, raw) => {
  expect(await verifyWebhook(raw, headers, secret, { now, requireV2: false })).toEqual({
    valid: true,
    event: {
      id: "e-1",
      type: "payment.status_changed",
      time: now - 100,
      known: true,
      payment: JSON.parse(body) as unknown,
    },
  });
});

test.each<[string, WebhookHeaders]>([
  ["Headers", new Headers(headers)],
  [
    "names in capitals",
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
  ],
  ["lists", Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
])("headers may be %s", async (_name, sent) => {
  expect((await verify(sent)).valid).toBe(true);
});

test("an event of a type that is not known yet stays what it is, and its body is there", async () => {
  const verdict = await verify({ ...headers, "x-event-type": "payment.imagined" });
  expect(verdict).toMatchObject({
    valid: true,
    event: { known: false, type: "payment.imagined", body: JSON.parse(body) as unknown },
  });
});

test("each type that an endpoint can ask for is known, and so is a test", async () => {
  for (const type of [...EVENT_TYPES, WEBHOOK_TEST]) {
    const verdict = await verify({ ...headers, "x-event-type": type });
    expect(verdict).toMatchObject({ valid: true, event: { known: true, type } });
    const about = type.startsWith("checkout.") ? "checkout" : "payment";
    const property = isAboutPayment(type) && type !== WEBHOOK_TEST ? `event.${about}` : "event";
    expect(verdict).toHaveProperty(property);
  }
});

test("during a rotation either secret verifies, alone or with the other", async () => {
  for (const keys of [secret, nextSecret, [secret, nextSecret], [nextSecret, "whs_old"]]) {
    expect((await verify(rotating, keys)).valid).toBe(true);
  }
  expect(await verify(rotating, "whs_old")).toMatchObject({ valid: false, reason: "signature_mismatch" });
});

const { "x-request-signature": signature } = headers;
test.each<[string, WebhookHeaders, WebhookFault]>([
  ["no time", { ...headers, "x-request-time": undefined }, "header_missing"],
  ["no signature", { ...headers, "x-request-signature": "" }, "header_missing"],
  ["two signatures", { ...headers, "x-request-signature": [signature, signature] }, "header_repeated"],
  [
    "two joined signatures",
    { ...headers, "x-request-signature": `${signature}, ${signature}` },
    "header_repeated",
  ],
  ["a time in seconds", { ...headers, "x-request-time": "1790000000" }, "time_malformed"],
  ["another time than was signed", { ...headers, "x-request-time": String(now) }, "signature_mismatch"],
  ["upper case", { ...headers, "x-request-signature": signature.toUpperCase() }, "signature_mismatch"],
  ["a short signature", { ...headers, "x-request-signature": "ab" }, "signature_mismatch"],
  ["an old time", at(now - 300_001), "time_outside_tolerance"],
  ["a time to come", at(now + 300_001), "time_outside_tolerance"],
])("%s is refused", async (_name, sent, reason) => {
  expect(await verify(sent)).toMatchObject({ valid: false, reason });
});

test("the last moment of the tolerance still counts", async () => {
  expect((await verify(at(now - 300_000))).valid).toBe(true);
});

test("a changed body is refused, and one that is signed and no JSON too", async () => {
  expect(await verify(headers, secret, body.replace("12.50", "12.5"))).toMatchObject({
    reason: "signature_mismatch",
  });
  const text = new TextEncoder().encode("hello");
  const signed = { ...headers, "x-request-signature": signWebhook(secret, headers["x-request-time"], text) };
  expect(await verify(signed, secret, text)).toMatchObject({ reason: "body_malformed" });
});

test.each<[string, () => Promise<unknown>]>([
  ["a body that was parsed already", () => verifyWebhook(JSON.parse(body) as string, headers, secret)],
  ["a secret that is not set", () => verifyWebhook(body, headers, "")],
  ["no secrets", () => verifyWebhook(body, headers, [])],
])("%s is the receiver's own fault", async (_name, call) => {
  await expect(call()).rejects.toMatchObject({ code: "invalid_argument" });
});

test("the second signature is required, and checked where it is not", async () => {
  const event = { time: String(now - 100), eventId: "e-1", eventType: "payment.status_changed" };
  const sent = { ...headers, "x-request-signature-v2": signWebhookV2(secret, event, bytes) };
  expect((await verify(sent)).valid).toBe(true);
  const changes: WebhookHeaders[] = [
    { ...sent, "x-event-id": "e-2" },
    { ...sent, "x-event-type": "payment.captured" },
    { ...sent, "x-request-signature-v2": signature },
    { ...sent, "x-request-signature-v2": [signature, signature] },
  ];
  for (const changed of changes)
    expect(await verify(changed)).toMatchObject({ valid: false, reason: "signature_mismatch" });
  expect((await verifyWebhook(body, sent, secret, { now })).valid).toBe(true);
  expect(await verifyWebhook(body, headers, secret, { now })).toMatchObject({ reason: "header_missing" });
});

test("during a rotation the second signature is of either secret, too", async () => {
  const event = { time: String(now - 100), eventId: "e-1", eventType: "payment.status_changed" };
  const sent = {
    ...rotating,
    "x-request-signature-v2": signWebhookV2(secret, event, bytes),
    "x-request-signature-v2-next": signWebhookV2(nextSecret, event, bytes),
  };
  for (const keys of [secret, nextSecret, [secret, nextSecret]])
    expect((await verify(sent, keys)).valid).toBe(true);
  expect(await verify({ ...sent, "x-event-id": "e-2" }, nextSecret)).toMatchObject({ valid: false });
});
