import { hmacHex, isSameSignature, parseDecimal, shortestText } from "@holdfast/acquirer/kit";

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

/** Verifies that a message was signed with the secret key. @param fields numbers as the text that they were written as. */
export function isGenuine(
  message: keyof typeof SIGNED_FIELDS,
  fields: Readonly<Record<string, unknown>>,
  { secretKey }: Pick<IyzicoSecrets, "secretKey">,
): boolean {
  const signed = SIGNED_FIELDS[message].map((name) => signedValue(name, textOf(fields[name])));
  const signature = textOf(fields["signature"]).toLowerCase();
  return isSameSignature(signature, hmacHex(secretKey, signed.join(":")));
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
  return isSameSignature(given.toLowerCase(), hmacHex(secretKey, signed));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An amount is signed without trailing zeros. */
function signedValue(name: string, text: string): string {
  const amount = AMOUNTS.has(name) ? parseDecimal(text) : undefined;
  return amount ? shortestText(amount) : text;
}
