/**
 * Finds a card number in a text in any form that a bank's page or message could give it: with anything between its
 * digits, escaped (twice, too) for HTML, a URL or a script, in hexadecimal, or in Base64.
 */
export function containsCardNumber(text: string, pan: string): boolean {
  const hex = Buffer.from(pan).toString("hex");
  return [text, unescape(unescape(text))].some(
    (read) =>
      digitsOf(read).includes(pan) ||
      digitsOf(withoutTags(read)).includes(pan) ||
      read.replace(/[^\da-f]/gi, "").includes(hex) ||
      base64Parts(pan).some((part) => read.replace(/\s/g, "").includes(part)),
  );
}

/**
 * Quotes stay: a card's BIN and last digits, which an answer has in two fields side by side, are no card number.
 */
function digitsOf(text: string): string {
  return text.replace(/[^0-9"]+/g, "");
}

function withoutTags(text: string): string {
  return text.replace(/<[^<>]*>/g, "");
}

/** Decodes the ways in which HTML, URLs and scripts write a character. */
function unescape(text: string): string {
  return text
    .replace(/&#0*(\d{1,6});?/g, (_, code: string) => character(code, 10))
    .replace(/&#x0*([\da-f]{1,6});?/gi, (_, code: string) => character(code, 16))
    .replace(/%([\da-f]{2})/gi, (_, code: string) => character(code, 16))
    .replace(/\\(?:u00|x)([\da-f]{2})/gi, (_, code: string) => character(code, 16));
}

function character(code: string, radix: number): string {
  const point = Number.parseInt(code, radix);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : "";
}

/** The characters that Base64 has for the number wherever it begins in the text, without those that its neighbours change. */
function base64Parts(pan: string): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.from("\u0000".repeat(before) + pan).toString("base64");
    const end = Math.floor(((before + pan.length) * 8) / 6);
    return whole.slice(Math.ceil((before * 8) / 6), end);
  });
}

/**
 * A bank's text, made safe for our columns and logs. It is cut, and loses control characters, which
 * PostgreSQL and hosts with padded fields treat differently, and characters that change how the text reads. A
 * text that repeats something confidential is dropped as a whole.
 */
export function shownMessage(text: string, confidential: readonly string[] = []): string {
  if (repeats(text, confidential)) return "";
  return Array.from(printable(text)).slice(0, MESSAGE_LENGTH_MAX).join("");
}
const MESSAGE_LENGTH_MAX = 200;

/**
 * Makes a bank's text safe like `shownMessage`, and also masks long numbers, since the bank may have written
 * any card's number into it.
 */
export function maskedMessage(text: string, confidential: readonly string[] = []): string {
  if (repeats(text, confidential)) return "";
  return shownMessage(text.replace(/\p{Cc}/gu, " ").replace(/\d(?:[ .-]?\d){11,}/g, "…"));
}

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "").trim();
}

const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFEFF]/gu;

function repeats(text: string, confidential: readonly string[]): boolean {
  const dense = text.replace(/[\s.-]/g, "");
  const numbers = new Set(text.split(/\D+/));
  // A CVV is three or four digits, which many longer numbers have in them.
  const occurs = (part: string) =>
    part.length <= 4 ? numbers.has(part) : text.includes(part) || dense.includes(part);
  return confidential.some((part) => part !== "" && occurs(part));
}
