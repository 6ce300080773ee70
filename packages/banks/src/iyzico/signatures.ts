import { createHmac, timingSafeEqual } from "node:crypto";

import { parseDecimal, signedForm } from "./decimal.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";

/**
 * The parts that a request's signature covers: the path without its query, and the exact bytes of the body, if there is
 * one.
 */
export type SignedParts = { random: string; path: string; body: string };

/**
 * The headers of one request under IYZWSv2: HMAC-SHA-256 over random text, path and body.
 * @param parts.random unique text, new for every request.
 */
export function signedHeaders(
  { apiKey, secretKey }: IyzicoSecrets,
  { random, path, body }: SignedParts,
): Record<string, string> {
  const signature = hmacHex(secretKey, random + path + body);
  const credentials = `apiKey:${apiKey}&randomKey:${random}&signature:${signature}`;
  return {
    authorization: `IYZWSv2 ${Buffer.from(credentials).toString("base64")}`,
    "x-iyzi-rnd": random,
    "x-iyzi-client-version": "holdfast",
    accept: "application/json",
    ...(body !== "" && { "content-type": "application/json" }),
  };
}

/** The fields that an answer's or a return's signature covers, in their order. A field that is missing is empty. */
const SIGNED_FIELDS = {
  /** Sale, pre-authorization, capture, and the second half of 3-D Secure. */
  payment: ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price"],
  /** The first half of 3-D Secure. */
  initialization: ["paymentId", "conversationId"],
  /** The browser's return. */
  return: ["conversationData", "conversationId", "mdStatus", "paymentId", "status"],
} as const;

const AMOUNTS: ReadonlySet<string> = new Set(["paidPrice", "price"]);

export type SignedMessage = keyof typeof SIGNED_FIELDS;

/** Verifies that a message was signed with the secret key. @param fields numbers as they were written. */
export function isGenuine(
  message: SignedMessage,
  fields: Readonly<Record<string, string | undefined>>,
  { secretKey }: Pick<IyzicoSecrets, "secretKey">,
): boolean {
  const signed = SIGNED_FIELDS[message].map((name) => signedValue(name, fields[name] ?? ""));
  return isSame(fields["signature"] ?? "", hmacHex(secretKey, signed.join(":")));
}

/** The fields that the header `X-IYZ-SIGNATURE-V3` covers. `token` exists on iyzico's hosted pages only. */
export type SignedNotification = Record<
  "iyziEventType" | "paymentId" | "token" | "paymentConversationId" | "status",
  string
>;

/**
 * Verifies that a notification was signed with the secret key: unlike an answer's, its fields have nothing between
 * them.
 */
export function isGenuineNotification(
  given: string,
  { iyziEventType, paymentId, token, paymentConversationId, status }: SignedNotification,
  { secretKey }: Pick<IyzicoSecrets, "secretKey">,
): boolean {
  const signed = `${secretKey}${iyziEventType}${paymentId}${token}${paymentConversationId}${status}`;
  return isSame(given, hmacHex(secretKey, signed));
}

function isSame(given: string, hash: string): boolean {
  const [one, other] = [Buffer.from(given.toLowerCase()), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function signedValue(name: string, text: string): string {
  const amount = AMOUNTS.has(name) ? parseDecimal(text) : undefined;
  return amount ? signedForm(amount) : text;
}

/** HMAC-SHA-256 in lower-case hexadecimal. */
export function hmacHex(secretKey: string, text: string): string {
  return createHmac("sha256", secretKey).update(text, "utf8").digest("hex");
}
