import { createHash } from "node:crypto";

import { isSameSignature } from "@holdfast/acquirer/kit";

/** The parts of an account that its MACs are made with. */
export type MacKey = { merchantId: string; terminalId: string; encKey: string };

/** The payment that a MAC covers, in our own values. */
export type MacOrder = { name: string; amount: string; currency: string };

/**
 * A MAC of 3-D Secure. Semicolons separate the values. All but the first are our own, so the boundary between
 * two values is unambiguous.
 * @param first the `mdStatus` of an authentication, or the name of a movement, in the MAC of an answer. A
 * request has neither.
 */
export function macOf({ name, amount, currency }: MacOrder, key: MacKey, first?: string): string {
  const ofKey = sha256(`${key.encKey};${key.terminalId}`);
  const values = [name, amount, currency, key.merchantId, ofKey];
  return sha256((first === undefined ? values : [first, ...values]).join(";"));
}

export function isMac(given: string, order: MacOrder, key: MacKey, first: string): boolean {
  return isSameSignature(given, macOf(order, key, first));
}

/** The signature of a return's packets. Each of their forms ends where the next one begins, or the whole differs. */
export function isSign(
  given: string,
  packets: readonly string[],
  { encKey }: Pick<MacKey, "encKey">,
): boolean {
  const signed = createHash("md5")
    .update([...packets, encKey].join(""))
    .digest("hex")
    .toUpperCase();
  return isSameSignature(given.toUpperCase(), signed);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
