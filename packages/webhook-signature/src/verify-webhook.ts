import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { signWebhook, signWebhookV2, WEBHOOK_HEADERS } from "./sign-webhook.ts";

/** Header names in lower case; a list where a header came more than once. */
export type ReceivedWebhook = {
  headers: Record<string, string | string[] | undefined>;
  /** Exactly as received: no parsing, no re-encoding. */
  body: Uint8Array;
};

export type WebhookVerdict =
  | { valid: true; eventId: string | undefined; eventType: string | undefined; requestTime: number }
  | { valid: false; reason: WebhookFault; detail: string };

export type WebhookFault =
  | "header_missing"
  | "header_repeated"
  | "time_malformed"
  | "time_too_old"
  | "time_in_future"
  | "signature_malformed"
  | "body_changed"
  | "wrong_secret"
  | "signed_with_next_secret"
  | "signature_mismatch"
  | "event_changed";

export type VerifyOptions = {
  secret: string;
  /** Epoch milliseconds. */
  now: number;
  /** The spec recommends five minutes. */
  toleranceMs?: number;
};

/** Decides whether a webhook is authentic and fresh, and if not, why, as precisely as possible. */
export function verifyWebhook(received: ReceivedWebhook, options: VerifyOptions): WebhookVerdict {
  const time = single(received, WEBHOOK_HEADERS.time);
  if (typeof time !== "string") return time;
  const signature = single(received, WEBHOOK_HEADERS.signature);
  if (typeof signature !== "string") return signature;
  const fault = timeFault(time, options) ?? signatureFault(signature);
  if (fault) return fault;
  if (!equal(signWebhook(options.secret, time, received.body), signature)) {
    return explainMismatch(received, options.secret, time, signature);
  }
  const eventId = value(received, WEBHOOK_HEADERS.eventId);
  const eventType = value(received, WEBHOOK_HEADERS.eventType);
  const headers = { time, eventId: eventId ?? "", eventType: eventType ?? "" };
  if (!isSecondSignature(received, signWebhookV2(options.secret, headers, received.body))) {
    const { eventId: id, eventType: type, signatureV2 } = WEBHOOK_HEADERS;
    return invalid("event_changed", `${signatureV2} is not that of this ${id}, ${type} and body: a replay`);
  }
  return { valid: true, eventId, eventType, requestTime: Number(time) };
}

/** True if a webhook has the second signature, or none: other senders of the spec's form know only the first one. */
function isSecondSignature(received: ReceivedWebhook, expected: string): boolean {
  const given = received.headers[WEBHOOK_HEADERS.signatureV2];
  if (given === undefined) return true;
  return typeof given === "string" && !signatureFault(given) && equal(expected, given);
}

type Fault = Extract<WebhookVerdict, { valid: false }>;

function invalid(reason: WebhookFault, detail: string): Fault {
  return { valid: false, reason, detail };
}

function single({ headers }: ReceivedWebhook, name: string): string | Fault {
  const given = headers[name];
  if (given === undefined || given.length === 0) return invalid("header_missing", `${name} is missing`);
  if (typeof given !== "string") return invalid("header_repeated", `${name} occurs ${given.length} times`);
  return given;
}

function value({ headers }: ReceivedWebhook, name: string): string | undefined {
  const given = headers[name];
  return typeof given === "string" ? given : given?.[0];
}

function timeFault(
  time: string,
  { now, toleranceMs = DEFAULT_TOLERANCE_MS }: VerifyOptions,
): Fault | undefined {
  const name = WEBHOOK_HEADERS.time;
  if (/^\d{10}$/.test(time))
    return invalid("time_malformed", `${name} is in seconds; it must be in milliseconds`);
  if (!/^\d{13}$/.test(time)) return invalid("time_malformed", `${name} is not a Unix time in milliseconds`);
  const ageMs = now - Number(time);
  if (ageMs > toleranceMs) {
    return invalid(
      "time_too_old",
      `${name} is ${seconds(ageMs)} old: a replay, or this machine's clock is ahead`,
    );
  }
  if (ageMs < -toleranceMs) {
    return invalid("time_in_future", `${name} is ${seconds(-ageMs)} ahead: this machine's clock is behind`);
  }
  return undefined;
}

const DEFAULT_TOLERANCE_MS = 300_000;

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function signatureFault(signature: string): Fault | undefined {
  if (/^[0-9a-f]{64}$/.test(signature)) return undefined;
  const name = WEBHOOK_HEADERS.signature;
  const detail = /^[0-9a-f]{64}$/i.test(signature)
    ? `${name} is in upper case; it must be lower-case hex`
    : `${name} is not 64 hex digits but ${signature.length} characters`;
  return invalid("signature_malformed", detail);
}

function equal(expected: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

/** Explains a signature that does not match: tries the usual mistakes, the most conclusive first. */
function explainMismatch(received: ReceivedWebhook, secret: string, time: string, signature: string): Fault {
  const { body } = received;
  for (const [hint, key] of misreadSecrets(secret)) {
    const digest = createHmac("sha256", key).update(`${time}:`).update(body).digest("hex");
    if (digest === signature) return invalid("wrong_secret", `the secret is right but ${hint}`);
  }
  const nextSignature = value(received, WEBHOOK_HEADERS.nextSignature);
  if (nextSignature === signWebhook(secret, time, body)) {
    return invalid(
      "signed_with_next_secret",
      `this is the new secret, which is not active yet: it signs ${WEBHOOK_HEADERS.nextSignature}; ` +
        `ask for its activation, or verify that header`,
    );
  }
  const bodyAsSent = bodyMatchesItsDigest(received);
  if (bodyAsSent === true) {
    return invalid(
      "wrong_secret",
      "the body arrived as it was sent, so this is not the secret that signed it",
    );
  }
  if (bodyAsSent === false) {
    return invalid("body_changed", `the body is not the bytes that were sent (${bodyHint(body)})`);
  }
  return invalid(
    "signature_mismatch",
    `the secret is not the one that signed it, or the body was changed (${bodyHint(body)})`,
  );
}

function misreadSecrets(secret: string): [hint: string, key: string | Buffer][] {
  return [
    ["has white space or quotes around it", secret.replace(/^[\s"']+|[\s"']+$/g, "")],
    ["its prefix was cut off", `whs_${secret}`],
    [
      "was decoded from base64; its text itself is the key",
      Buffer.from(secret.replace(/^whs_/, ""), "base64url"),
    ],
    ["is followed by a line break", `${secret}\n`],
  ];
}

/** Undefined without a usable digest. */
function bodyMatchesItsDigest(received: ReceivedWebhook): boolean | undefined {
  const digest = value(received, WEBHOOK_HEADERS.contentDigest);
  const sent = digest === undefined ? undefined : /sha-256=:([A-Za-z0-9+/=]{44}):/.exec(digest)?.[1];
  return sent === undefined
    ? undefined
    : createHash("sha256").update(received.body).digest("base64") === sent;
}

function bodyHint(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  if (text.length === 0) return "it is empty: was it already read?";
  try {
    const rewritten = JSON.stringify(JSON.parse(text));
    return rewritten === text
      ? "was it parsed and serialized again?"
      : "it has other white space or key order than JSON.stringify's";
  } catch {
    return "it is not JSON: was it decoded, cut, or compressed?";
  }
}
