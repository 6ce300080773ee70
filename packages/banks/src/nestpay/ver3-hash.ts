import { createHash } from "node:crypto";

import { isSameSignature } from "@holdfast/acquirer/kit";

/** Fields of a form in their order, as they are posted. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/**
 * The signature `ver3` of a form or of a browser's return: SHA-512 over the values of all fields but `UNSIGNED`, sorted by
 * name without case, each escaped and followed by `|`, and the store key. Parties without the store key can neither sign nor
 * change a field, and two lists of values never give the same text, since `|` in a value is escaped.
 * @returns base64
 */
export function ver3Hash(fields: FormFields, storeKey: string): string {
  const values = fields
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !UNSIGNED.has(name))
    // The order of code units, in every language of the machine.
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, value]) => value);
  const text = [...values, storeKey].map(escapeValue).join("|");
  return createHash("sha512").update(text, "utf8").digest("base64");
}

/**
 * Tells whether `hash` is the signature of the fields. Some browsers' forms turn a `+` of the base64 text into a space.
 */
export function isVer3Hash(hash: string, fields: FormFields, storeKey: string): boolean {
  return isSameSignature(hash.trim().replaceAll(" ", "+"), ver3Hash(fields, storeKey));
}

/** Clients of several banks leave `countdown` out, too, which is a field of the bank's own page. */
const UNSIGNED: ReadonlySet<string> = new Set(["hash", "encoding", "countdown"]);

/** The backslash goes first: the other order would escape the characters that the second step has written. */
function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}
