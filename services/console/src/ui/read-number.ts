import { currencyExponent } from "@holdfast/contracts";
import { keepFormatters, localeOf } from "@holdfast/html";
import type { Reader } from "./page-context.ts";

/** A number from a form in decimal notation, such as 1234.56, or a sentence about the fault. */
export type ReadNumber = { value: string; fault?: undefined } | { value?: undefined; fault: string };

/**
 * Reads an amount with a decimal comma or a decimal point, and with or without groups of thousands. `1,234` could be
 * either: it is refused, except where the currency's decimals leave what the reader's own language writes.
 */
export function readAmount(reader: Reader, text: string, currency: string): ReadNumber {
  const marks = marksOf(reader.locale);
  const decimals = currencyExponent(currency) ?? 2;
  return readNumber(reader, text, (mark) => {
    if (decimals === 3 && mark === marks.decimal) return "decimal";
    return decimals === 0 && mark === marks.group ? "group" : undefined;
  });
}

/** Reads a rate in percent. It is below 100 and so has no thousands. */
export function readRate(reader: Reader, text: string): ReadNumber {
  return readNumber(reader, text, () => "decimal");
}

/** A number in decimal notation as a field has it: with the reader's decimal mark, and without groups. */
export function decimalField({ locale }: Reader, decimal: string): string {
  return decimal.replace(".", marksOf(locale).decimal);
}

/** @param meaningOf decides what a single mark before three digits is. */
function readNumber(
  { texts }: Reader,
  text: string,
  meaningOf: (mark: string) => "decimal" | "group" | undefined,
): ReadNumber {
  const notNumber = { fault: texts.notNumber };
  const [, sign, number = ""] = /^([-−]?)(\d[\d.,\s'’]*)$/.exec(text.trim()) ?? [];
  // The decimal mark is the last mark and comes only once.
  const [, whole = "", mark = "", rest = ""] = /^(.*)([.,])(\d+)$/.exec(number) ?? [];
  const isOnce = mark !== "" && !whole.includes(mark);
  const meaning = !isOnce
    ? "group"
    : /^[1-9]\d{0,2}$/.test(whole) && rest.length === 3
      ? meaningOf(mark)
      : "decimal";
  if (meaning === undefined) return { fault: texts.ambiguousNumber(whole + rest, whole, rest) };
  const grouped = meaning === "decimal" ? whole : number;
  if (!GROUPED.test(grouped)) return notNumber;
  const digits = grouped.replaceAll(/\D/g, "");
  const value = meaning === "decimal" ? `${digits}.${rest}` : digits;
  return FITS.test(value) ? { value: sign ? `-${value}` : value } : notNumber;
}

/** Digits, or groups of three behind one kind of mark; in India the groups before the last have two. */
const GROUPED = /^(\d+|\d{1,3}([.,\s'’])\d{3}(\2\d{3})*|\d{1,2}(,\d{2})+,\d{3})$/;
const FITS = /^\d{1,12}(\.\d{1,4})?$/;

const marksOf = keepFormatters((locale: string) => {
  const parts = new Intl.NumberFormat(localeOf(locale)).formatToParts(1_234_567.5);
  const markOf = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { decimal: markOf("decimal"), group: markOf("group") };
});
