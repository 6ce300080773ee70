/**
 * Keeps what `make` makes, by its arguments. A formatter of Intl costs tens of microseconds of CPU, and about 20 KB outside of
 * V8's heap, which do not hasten its next collection: made again for each row of a table, formatters were the most expensive
 * part of a page, and hundreds of MiB of a busy process.
 *
 * @param max of what is kept: a browser says which locale it wants, so there is no end of them. The one that was not used for
 * the longest time goes first.
 */
export function keepFormatters<Of extends readonly (string | number)[], Formatter>(
  make: (...of: Of) => Formatter,
  max = FORMATTERS_MAX,
): (...of: Of) => Formatter {
  const kept = new Map<string, Formatter>();
  return (...of) => {
    const key = of.join(" ");
    const formatter = kept.get(key) ?? make(...of);
    // A Map is in the order in which its keys were set.
    kept.delete(key);
    kept.set(key, formatter);
    if (kept.size > max) kept.delete(kept.keys().next().value!);
    return formatter;
  };
}

/** Of each kind. Readers of a few languages and amounts of a few currencies are what a process has at a time. */
const FORMATTERS_MAX = 100;
