import { createHmac } from "node:crypto";

import { Decimal } from "./decimal.ts";

/** A value of a signed message; a missing one counts as empty. */
export type Signed = string | number | Decimal | null | undefined;

/** The signature of an answer or a return: its fields joined by colons (iyzico protocol, signatures in answers). */
export function messageSignature(secretKey: string, fields: readonly Signed[]): string {
  return hmacHex(secretKey, fields.map((field) => signedText(field)).join(":"));
}

export type WebhookFacts = {
  iyziEventType: string;
  paymentId: string;
  /** Present on hosted pages only. */
  token?: string;
  paymentConversationId: string;
  status: string;
};

/** The header `X-IYZ-SIGNATURE-V3` of a webhook: the secret key and the fields without anything between them. */
export function webhookSignature(
  secretKey: string,
  { iyziEventType, paymentId, token = "", paymentConversationId, status }: WebhookFacts,
): string {
  const text = `${secretKey}${iyziEventType}${paymentId}${token}${paymentConversationId}${status}`;
  return hmacHex(secretKey, text);
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
