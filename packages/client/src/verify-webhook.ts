import { invalidArgument } from "./holdfast-error.ts";
import type { Payment } from "./payment-records.ts";
import type {
  ChargedBackPayment,
  CheckoutEventType,
  PaymentEventType,
  WebhookCheckout,
  WebhookEvent,
  WebhookStatement,
  WebhookTest,
  WebhookEndpointChange,
  WebhookWarning,
} from "./webhook-records.ts";

export type WebhookVerdict =
  | { valid: true; event: WebhookEvent }
  | { valid: false; reason: WebhookFault; detail: string };

export type WebhookFault =
  | "header_missing"
  | "header_repeated"
  | "time_malformed"
  | "time_outside_tolerance"
  | "signature_mismatch"
  | "body_malformed";

/** A platform's `Headers`, or Node's `request.headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Decides whether a webhook is the gateway's and fresh. Answer 2xx to a valid one, and 400 to any other.
 *
 * @param rawBody exactly as received; a body that was parsed and serialized again has another signature.
 * @param secrets the webhook secret; while it is being replaced, the old and the new one.
 * @param requireV2 false takes webhooks without `x-request-signature-v2`, which covers the event's id and type: whoever
 *   replays a webhook could leave it out. Holdfast always sends it.
 * @throws HoldfastError for a body that was parsed already, and for invalid secrets.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  {
    toleranceMs = 300_000,
    now = Date.now(),
    requireV2 = true,
  }: { toleranceMs?: number; now?: number; requireV2?: boolean } = {},
): Promise<WebhookVerdict> {
  const body = bytesOf(rawBody);
  const keys = keysOf(secrets);
  const values: string[] = [];
  for (const name of ["x-request-time", "x-request-signature", "x-event-id", "x-event-type"]) {
    const value = headerOf(headers, name);
    if (value === undefined) return invalid("header_missing", `${name} is missing`);
    // A platform's Headers joins repeated headers with commas; none of these values contains a comma.
    if (value === REPEATED || value.includes(",")) return invalid("header_repeated", `${name} is repeated`);
    values.push(value);
  }
  const [time = "", signature = "", id = "", type = ""] = values;
  if (!/^\d{13}$/.test(time)) return invalid("time_malformed", "x-request-time is not Unix time in ms");
  if (!(Math.abs(now - Number(time)) <= toleranceMs)) {
    const seconds = Math.round((now - Number(time)) / 1_000);
    return invalid("time_outside_tolerance", `x-request-time is ${seconds} s before this machine's clock`);
  }
  const next = headerOf(headers, "x-request-signature-next");
  if (!(await isSigned(`${time}:`, body, [signature, next], keys))) {
    return invalid("signature_mismatch", "no secret given here signed these bytes");
  }
  const v2 = headerOf(headers, "x-request-signature-v2");
  if (v2 === undefined && requireV2) return invalid("header_missing", "x-request-signature-v2 is missing");
  const nextV2 = headerOf(headers, "x-request-signature-v2-next");
  const covered = `v2:${time}:${id}:${type}:`;
  if (v2 !== undefined && !(await isSigned(covered, body, [v2, nextV2], keys))) {
    return invalid("signature_mismatch", "x-event-id or x-event-type is not the one that was signed");
  }
  const content = parse(body);
  if (content === undefined) return invalid("body_malformed", "the body is not a JSON object");
  return { valid: true, event: { id, time: Number(time), ...eventOf(type, content) } };
}

type KnownEvent = WebhookEvent extends infer Event
  ? Event extends WebhookEvent
    ? Omit<Event, "id" | "time">
    : never
  : never;

function eventOf(type: string, content: object): KnownEvent {
  if (type === "webhook.disabled_warning") return { known: true, type, warning: content as WebhookWarning };
  if (type === "webhook.endpoint_changed") {
    return { known: true, type, change: content as WebhookEndpointChange };
  }
  if (type === "settlement.statement_ready") {
    return { known: true, type, statement: content as WebhookStatement };
  }
  if (type === "webhook.test") return { known: true, type, test: content as WebhookTest };
  if (Object.hasOwn(ABOUT_CHECKOUTS, type)) {
    return { known: true, type: type as CheckoutEventType, checkout: content as WebhookCheckout };
  }
  if (type === "payment.chargeback") return { known: true, type, payment: content as ChargedBackPayment };
  return Object.hasOwn(ABOUT_PAYMENTS, type)
    ? { known: true, type: type as keyof typeof ABOUT_PAYMENTS, payment: content as Payment }
    : { known: false, type, body: content };
}

const ABOUT_PAYMENTS: Record<Exclude<PaymentEventType, "payment.chargeback">, true> = {
  "payment.status_changed": true,
  "payment.captured": true,
  "payment.enrolled": true,
  "payment.operation_settled": true,
  "refund.requested": true,
};

const ABOUT_CHECKOUTS: Record<CheckoutEventType, true> = {
  "checkout.completed": true,
  "checkout.expired": true,
  "checkout.cancelled": true,
};

function invalid(reason: WebhookFault, detail: string): WebhookVerdict {
  return { valid: false, reason, detail };
}

function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw invalidArgument(
    "invalid_argument",
    "rawBody must be the bytes as received, before anything parses them: a string, a Uint8Array or an ArrayBuffer",
  );
}

function keysOf(secrets: string | readonly string[]): readonly string[] {
  const keys = typeof secrets === "string" ? [secrets] : secrets;
  // An empty secret, such as an unset variable, would accept anybody's signature.
  if (Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === "string" && key !== "")) {
    return keys;
  }
  throw invalidArgument("invalid_argument", "secrets must be the webhook secret, or a list of them");
}

const REPEATED = Symbol("repeated");

function headerOf(headers: WebhookHeaders, name: string): string | typeof REPEATED | undefined {
  const value =
    typeof headers["get"] === "function"
      ? (headers as { get(name: string): string | null }).get(name)
      : valueOf(headers as Record<string, string | readonly string[] | undefined>, name);
  if (value === null || value === undefined || value === "") return undefined;
  return typeof value === "string" ? value : value.length === 1 ? value[0] : REPEATED;
}

function valueOf(headers: Record<string, string | readonly string[] | undefined>, name: string) {
  if (Object.hasOwn(headers, name)) return headers[name];
  const other = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return other === undefined ? undefined : headers[other];
}

/** Compares in constant time, as WebCrypto's verify does, and every secret with every signature. */
async function isSigned(
  before: string,
  body: Uint8Array,
  signatures: readonly (string | typeof REPEATED | undefined)[],
  secrets: readonly string[],
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const prefix = new TextEncoder().encode(before);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const results = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = new TextEncoder().encode(secret);
      const key = await subtle.importKey("raw", bytes, hmac, false, ["verify"]);
      const given = signatures.filter((hex) => typeof hex === "string");
      const each = given.map((hex) => subtle.verify(hmac, key, fromHex(hex), signed));
      return (await Promise.all(each)).includes(true);
    }),
  );
  return results.includes(true);
}

/** Lower-case hex; anything else is no signature, so it becomes bytes that never match. */
function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) return new Uint8Array(0);
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}

function parse(body: Uint8Array): object | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
