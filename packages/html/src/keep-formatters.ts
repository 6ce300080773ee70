/**
 * Caches the results of `make` by its arguments. A formatter of Intl costs tens of microseconds of CPU, and
 * about 20 KB outside of V8's heap, which do not trigger its collection. Created for each row of a table,
 * formatters were the most expensive part of a page, and hundreds of MiB of a busy process.
 *
 * @param max the number of cached results: browsers send arbitrary locales. The least recently used result is
 * dropped first.
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

/** A bound for each kind. A process serves readers of a few languages and amounts of a few currencies at a time. */
const FORMATTERS_MAX = 100;
