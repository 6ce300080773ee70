import type { BrowserReturn } from "../acquirer.ts";

/**
 * The fields of a browser's return, by name. Undefined if a field that counts comes twice, since it could be
 * read in two ways, or if there are more fields than any bank sends.
 * @param nameOf the name by which a field counts, or undefined for a field that does not count.
 */
export function returnedFields<Name extends string>(
  { fields }: BrowserReturn,
  nameOf: (name: string) => Name | undefined,
): ReadonlyMap<Name, string> | undefined {
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (fields.length > FIELDS_MAX || length > LENGTH_MAX) return undefined;
  const byName = new Map<Name, string>();
  for (const [given, value] of fields) {
    const name = nameOf(given);
    if (name === undefined) continue;
    if (byName.has(name)) return undefined;
    byName.set(name, value);
  }
  return byName;
}

const FIELDS_MAX = 200;
const LENGTH_MAX = 65_536;
