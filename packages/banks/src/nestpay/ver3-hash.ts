import { createHash } from "node:crypto";

import { isSameSignature } from "@holdfast/acquirer/kit";

/** Fields of a form in their order, as they are posted. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/**
 * The signature `ver3` of a form or of a browser's return: SHA-512 over the values of all fields but the hash itself and
 * `encoding`, sorted by name without case, each escaped and followed by `|`, and the store key. Parties without the store
 * key can neither sign nor change a value, and two lists of values never give the same text, since `|` in a
 * value is escaped.
 * @returns base64
 */
export function ver3Hash(fields: FormFields, storeKey: string): string {
  return hashOf(Buffer.from(signedText(fields, storeKey), "utf8"));
}

/**
 * Finds the reading of a return's values that the bank signed. Banks disagree about the fields that the
 * signature leaves out, about the encoding of its text, and about values that a page has escaped. A reading
 * with the right hash proves the store key, and only the values in that reading are the bank's.
 * @param hash the base64 text, in which some browsers' forms turn a `+` into a space.
 * @param unsigned names of fields, in any case, that the bank may have left out. The caller reads none of
 * them.
 * @returns undefined if no reading has the signature.
 */
export function signedReading(
  fields: FormFields,
  hash: string,
  { storeKey, unsigned }: { storeKey: string; unsigned: readonly string[] },
): ReadValue | undefined {
  const given = hash.trim().replaceAll(" ", "+");
  const names = new Set(unsigned.map((name) => name.toLowerCase()));
  const covered = fields.filter(([name]) => !names.has(name.toLowerCase()));
  return [asPosted, asEscaped].find((read) =>
    [covered, fields].some((some) => {
      const values = some.map(([name, value]) => [name, read(value)] as const);
      return encodingsOf(signedText(values, storeKey)).some((bytes) => isSameSignature(given, hashOf(bytes)));
    }),
  );
}

/** Turns a posted value into the one that was signed. */
export type ReadValue = (value: string) => string;

function signedText(fields: FormFields, storeKey: string): string {
  const values = fields
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name !== "hash" && name !== "encoding")
    // The order of code units, in every language of the machine.
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, value]) => value);
  return [...values, storeKey].map(escapeValue).join("|");
}

/** The backslash goes first: the other order would escape the characters that the second step has written. */
function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

function hashOf(bytes: Buffer): string {
  return createHash("sha512").update(bytes).digest("base64");
}

/** Banks hash UTF-8, or the posted bytes of a page in ISO 8859-9, which the gateway has decoded. */
function encodingsOf(text: string): Buffer[] {
  const utf8 = Buffer.from(text, "utf8");
  const turkish: number[] = [];
  for (const character of text) {
    const byte = TURKISH.get(character);
    if (byte === undefined) return [utf8];
    turkish.push(byte);
  }
  return [utf8, Buffer.from(turkish)];
}

const TURKISH: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [
    new TextDecoder("windows-1254").decode(Uint8Array.of(byte)),
    byte,
  ]),
);

function asPosted(value: string): string {
  return value;
}

/**
 * A value that was escaped on its way, or ends with a line feed. The processor's own client decodes such values before it
 * hashes them. Browsers write a character that the page's encoding lacks as an entity, and a line feed as two characters.
 */
function asEscaped(value: string): string {
  return value
    .replaceAll("\r\n", "\n")
    .replace(/\n$/, "")
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (entity, decimal, hex, name) => {
      if (name !== undefined) return NAMED_ENTITIES.get(String(name).toLowerCase()) ?? entity;
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
    });
}

const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);
