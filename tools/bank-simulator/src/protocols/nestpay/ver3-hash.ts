import { createHash, timingSafeEqual } from "node:crypto";

/** A posted parameter: its name as it was posted, and its value. */
export type Parameter = readonly [name: string, value: string];

/**
 * The hash of version 3 over all parameters but `hash` and `encoding` (Nestpay protocol, hash): values in the order of
 * their names without case, each escaped, then the store key.
 */
export function ver3Hash(
  parameters: Iterable<Parameter>,
  storeKey: string,
  bytesOf: (text: string) => Uint8Array = (text) => Buffer.from(text),
): string {
  const values = [...parameters]
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => name !== "hash" && name !== "encoding")
    .toSorted((one, other) => compare(one.name, other.name))
    .map(({ value }) => escapeValue(value));
  const text = [...values, escapeValue(storeKey)].join("|");
  return createHash("sha512").update(bytesOf(text)).digest("base64");
}

/** Compares in constant time. A space counts as the plus that a form has lost from base64. */
export function isHash(given: string, computed: string): boolean {
  const bytes = Buffer.from(given.replaceAll(" ", "+"));
  const expected = Buffer.from(computed);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** The backslash first, or the one that escapes the bar would be escaped, too. */
function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
