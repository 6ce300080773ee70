import { createHash } from "node:crypto";

import type { Merchant } from "./config.ts";

/** Version 512 of the protocol hashes with SHA-512, the one before it with SHA-1. */
type Algorithm = "sha512" | "sha1";

function hex(algorithm: Algorithm, ...values: string[]): string {
  return createHash(algorithm).update(values.join("")).digest("hex").toUpperCase();
}

/** The secret of a user at a terminal, which goes into every hash but the return's. */
export function securityData(password: string, terminalId: string): string {
  return hex("sha1", password, terminalId.padStart(9, "0"));
}

export const PAYING_USER = "PROVAUT";
export const REFUNDING_USER = "PROVRFN";

/** The secret of one of the terminal's users; undefined for an unknown name. */
export function securityOf(merchant: Merchant | undefined, user: string): string | undefined {
  if (!merchant || (user !== PAYING_USER && user !== REFUNDING_USER)) return undefined;
  const { terminalId, password, refundPassword } = merchant;
  return securityData(user === PAYING_USER ? password : refundPassword, terminalId);
}

/** The value of a field by its name or path; empty if it is missing. */
export type Field = (name: string) => string;

export function requestHash(field: Field, security: string): string {
  return hex("sha512", ...REQUEST_FIELDS.map(field), security);
}

/** The form of 3-D Secure; its users, card and addresses of people are not signed. */
export function formHash(field: Field, storeKey: string, security: string): string {
  return hex("sha512", ...FORM_FIELDS.map(field), storeKey, security);
}

export function returnHash(values: readonly string[], storeKey: string): string {
  return hex("sha512", ...values, storeKey);
}

/** @param values code, RetrefNum, AuthCode, ProvDate and order */
export function answerHash(
  values: readonly string[],
  security: string,
  algorithm: Algorithm = "sha512",
): string {
  return hex(algorithm, ...values, security);
}

const REQUEST_FIELDS =
  "Order/OrderID Terminal/ID Card/Number Transaction/Amount Transaction/CurrencyCode".split(" ");
const FORM_FIELDS =
  "terminalid orderid txnamount txncurrencycode successurl errorurl txntype txninstallmentcount".split(" ");
