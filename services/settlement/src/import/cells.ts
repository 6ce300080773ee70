import { currencyExponent, hasForbiddenCharacters, holdsCardNumber } from "@holdfast/contracts";

/** The reason why a cell cannot be read, without its content. */
export type CellFault = { fault: string };

export function isFault(value: unknown): value is CellFault {
  return typeof value === "object" && value !== null && "fault" in value;
}

/** `implied`: no decimal sign, the last digits are the currency's decimals. */
export type DecimalForm = "." | "," | "implied";

/**
 * An amount in minor units: digits, one decimal sign, thousands in groups of three or not at all, a sign before or behind.
 * Zeros before it may fill it up, and digits may be missing on one side of the decimal sign, as in XML Schema's decimals.
 * Decimals beyond the currency's have to be zeros.
 */
export function readAmount(
  text: string,
  { decimal, currency }: { decimal: DecimalForm; currency: string },
): bigint | CellFault {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return { fault: "unknown currency" };
  const match = (decimal === "," ? WITH_COMMA : WITH_POINT).exec(
    decimal === "implied" ? withPoint(text.trim(), exponent) : text.trim(),
  );
  if (!match) return { fault: "not an amount" };
  const [, before = "", whole = "", fraction = "", behind = ""] = match;
  if ((before !== "" && behind !== "") || whole + fraction === "") return { fault: "not an amount" };
  const digits = whole.replaceAll(/[.,]/g, "").replace(/^0+/, "");
  if (digits.length > WHOLE_DIGITS_MAX) return { fault: "amount too large" };
  if (/[1-9]/.test(fraction.slice(exponent))) return { fault: "more decimals than its currency has" };
  const minor = BigInt(digits + fraction.slice(0, exponent).padEnd(exponent, "0"));
  return before === "-" || behind === "-" ? -minor : minor;
}

const WITH_POINT = /^([+-]?)(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?(-?)$/;
const WITH_COMMA = /^([+-]?)(\d{1,3}(?:\.\d{3})+|\d*)(?:,(\d*))?(-?)$/;
/** With four decimals the amount still fits PostgreSQL's bigint. */
const WHOLE_DIGITS_MAX = 13;

/** The digits with the implied decimal point inserted; an empty text if there is any other character. */
function withPoint(text: string, exponent: number): string {
  const [, before, digits, behind] = /^([+-]?)0*(\d+?)(-?)$/.exec(text) ?? [];
  if (digits === undefined) return "";
  const padded = digits.padStart(exponent + 1, "0");
  const at = padded.length - exponent;
  return `${before}${padded.slice(0, at)}${exponent > 0 ? "." : ""}${padded.slice(at)}${behind}`;
}

export type DateForm = "yyyy-MM-dd" | "dd.MM.yyyy" | "dd/MM/yyyy" | "yyyyMMdd";

/** A date as ISO 8601. A time after it in the cell is left out. */
export function readDate(text: string, form: DateForm): string | CellFault {
  const [date = ""] = text.trim().split(/[ T]/);
  const [, ...parts] = DATES[form].exec(date) ?? [];
  const [year, month, day] = form.startsWith("dd") ? parts.toReversed() : parts;
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return { fault: "not a date" };
  return `${year}-${month}-${day}`;
}

const DATES: Record<DateForm, RegExp> = {
  "yyyy-MM-dd": /^(\d{4})-(\d{2})-(\d{2})$/,
  "dd.MM.yyyy": /^(\d{2})\.(\d{2})\.(\d{4})$/,
  "dd/MM/yyyy": /^(\d{2})\/(\d{2})\/(\d{4})$/,
  yyyyMMdd: /^(\d{4})(\d{2})(\d{2})$/,
};

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1970 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Date and time as ISO 8601 without a zone; midnight where the cell has no time. */
export function readDateTime(text: string, form: DateForm): string | CellFault {
  const date = readDate(text, form);
  if (isFault(date)) return date;
  const time = text.trim().split(/[ T]/).slice(1).join(" ").trim();
  if (time === "") return `${date}T00:00:00`;
  const [, hours, minutes, seconds = "00"] =
    /^([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:[.,]\d+)?)?$/.exec(time) ?? [];
  return hours === undefined ? { fault: "not a time" } : `${date}T${hours}:${minutes}:${seconds}`;
}

/**
 * A text that is stored: bounded, printable, and not a card number. It may begin like a formula: every export
 * escapes it.
 *
 * @returns undefined for an empty cell, and for a word that means "none".
 */
export function readText(text: string): string | undefined | CellFault {
  const trimmed = text.trim();
  if (NOTHING.test(trimmed)) return undefined;
  if (trimmed.length > TEXT_MAX) return { fault: "too long" };
  if (hasForbiddenCharacters(trimmed) || trimmed.includes(UNDECODED))
    return { fault: "characters that cannot be printed" };
  if (MANY_DIGITS.test(trimmed) && holdsCardNumber(trimmed)) return { fault: "a card number" };
  return trimmed;
}

/** `NOTPROVIDED` is ISO 20022's word for a missing reference, and `NONREF` is SWIFT's. */
const NOTHING = /^(?:-*|NOTPROVIDED|NONREF)$/;
const TEXT_MAX = 128;
/** A byte that is no character of the file's encoding. */
const UNDECODED = "\uFFFD";
/** Fewer digits cannot be a card number; most cells need no further check. */
const MANY_DIGITS = /(?:\p{N}\P{N}{0,3}){13}/u;

/** A card number as the first six and the last four digits, however the bank masks it, and even if it does not. */
export function readMaskedPan(text: string): string | undefined | CellFault {
  const digits = text.replaceAll(/[ -]/g, "");
  if (/^0*$/.test(digits)) return undefined;
  if (!/^\d{6}[\d*xX#.]{2,9}\d{4}$/.test(digits)) return { fault: "not a masked card number" };
  return `${digits.slice(0, 6)}${"*".repeat(digits.length - 10)}${digits.slice(-4)}`;
}

/** A whole number from 1 to 99. Zero means none: a bank writes it for a payment without installments. */
export function readCount(text: string): number | undefined | CellFault {
  const digits = /^0*(\d{0,2})$/.exec(text.trim())?.[1];
  if (digits === undefined) return { fault: "not a number from 1 to 99" };
  return digits === "" ? undefined : Number(digits);
}
