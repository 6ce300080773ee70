import { createHmac, timingSafeEqual } from "node:crypto";

import { Decimal } from "./decimal.ts";

export type Credentials = { apiKey: string; secretKey: string };

/**
 * Verifies an `Authorization` header of the form IYZWSv2 over the bytes that arrived (iyzico protocol, transport and
 * authentication). The random text is taken from the header itself, because not every client sends `x-iyzi-rnd`.
 * @param path without the query
 * @returns the code of a refusal otherwise: 1000 is a signature that does not match, 1001 an unknown key
 */
export function verifyAuthorization<Merchant extends Credentials>(
  merchants: readonly Merchant[],
  header: string | undefined,
  path: string,
  body: Uint8Array,
): Merchant | "1000" | "1001" {
  const claim = parseHeader(header);
  if (!claim) return "1000";
  const merchant = merchants.find(({ apiKey }) => apiKey === claim.apiKey);
  if (!merchant) return "1001";
  const right = Buffer.from(requestSignature(merchant.secretKey, claim.random, path, body));
  const sent = Buffer.from(claim.signature);
  return sent.length === right.length && timingSafeEqual(sent, right) ? merchant : "1000";
}

/** hex(HMAC-SHA256(secretKey, random + path + body)) */
export function requestSignature(secretKey: string, random: string, path: string, body: Uint8Array): string {
  return createHmac("sha256", secretKey).update(random).update(path).update(body).digest("hex");
}

function parseHeader(header: string | undefined) {
  const [, encoded] = /^IYZWSv2 ([A-Za-z0-9+/=]{1,2000})$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const [, apiKey, random, signature] =
    /^apiKey:([^&]+)&randomKey:([^&]+)&signature:([0-9a-f]+)$/.exec(text) ?? [];
  if (apiKey === undefined || random === undefined || signature === undefined) return undefined;
  return { apiKey, random, signature };
}

/** A value of a signed message; a missing one counts as empty. */
export type Signed = string | number | Decimal | null | undefined;

/** The signature of an answer or a return: its fields joined by colons (iyzico protocol, signatures in answers). */
export function messageSignature(secretKey: string, fields: readonly Signed[]): string {
  return hmacHex(secretKey, fields.map((field) => signedText(field)).join(":"));
}

/**
 * The header `X-IYZ-SIGNATURE-V3` of a webhook: the secret key and the fields without anything between them. They are the
 * type of the event, the payment's id, its conversationId and the status.
 */
export function webhookSignature(secretKey: string, fields: readonly string[]): string {
  return hmacHex(secretKey, `${secretKey}${fields.join("")}`);
}

/** A signature of the right form that is never right. */
export function wrongSignature(signature: string): string {
  return signature.replace(/^./, (first) => (first === "0" ? "1" : "0"));
}

function signedText(field: Signed): string {
  if (field instanceof Decimal) return field.short;
  return field === undefined || field === null ? "" : String(field);
}

function hmacHex(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}
