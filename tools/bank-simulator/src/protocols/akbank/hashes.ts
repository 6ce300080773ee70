import { createHmac } from "node:crypto";

/** The key is the secret's text, although it looks like hexadecimal digits. */
export function hmac(secretKey: string, signed: string | Uint8Array): string {
  return createHmac("sha512", secretKey).update(signed).digest("base64");
}

/** The value of a field by its name; empty if it is missing. */
export type Field = (name: string) => string;

/** The form of 3-D Secure: all its values one after another. */
export function formHash(secretKey: string, field: Field): string {
  return hmac(secretKey, FORM_FIELDS.map(field).join(""));
}

/** A return: the values of the named fields one after another. */
export function returnHash(secretKey: string, names: readonly string[], field: Field): string {
  return hmac(secretKey, names.map(field).join(""));
}

export const FORM_FIELDS =
  "paymentModel txnCode merchantSafeId terminalSafeId orderId lang amount ccbRewardAmount pcbRewardAmount xcbRewardAmount currencyCode installCount okUrl failUrl emailAddress subMerchantId creditCard expiredDate cvv randomNumber requestDateTime b2bIdentityNumber".split(
    " ",
  );
