import type { RawHttpExchange } from "../bounded-http-client.ts";
import { decodeBytes } from "./read-answer.ts";

/**
 * The page with which the bank answers the 3-D Secure form, for the cardholder's browser.
 * @returns undefined for anything but HTML, and for a page that has the card's number in it: it is kept until the
 * challenge is over, and the card is not.
 */
export function challengePage(
  { status, bytes, contentType = "" }: Extract<RawHttpExchange, { kind: "answered" }>,
  card: { pan: string },
): string | undefined {
  if (status !== 200 || !/^text\/html\s*(?:;|$)/i.test(contentType)) return undefined;
  const html = decodeBytes(bytes, contentType) ?? "";
  const isPage = /<(?:html|form|body|script)\b/i.test(html) && !html.includes("\u0000");
  return isPage && !hasCardNumber(html, card.pan) && !CVV_FIELD.test(html) ? html : undefined;
}

/** Finds a card number in a text, as digits with anything between them, escaped, as hexadecimal digits or in base64. */
export function hasCardNumber(text: string, pan: string): boolean {
  const plain = unescape(unescape(text));
  return [...new Set([text, plain])].some(
    (read) =>
      read.replace(/\D/g, "").includes(pan) ||
      read.replace(/[^\da-f]/gi, "").includes(Buffer.from(pan).toString("hex")) ||
      base64Parts(pan).some((part) => read.replace(/\s/g, "").includes(part)),
  );
}

/** Decodes the ways in which HTML, URLs and scripts write a character. */
function unescape(text: string): string {
  return text
    .replace(/&#(\d{1,6});?/g, (_, code: string) => character(code, 10))
    .replace(/&#x([\da-f]{1,6});?/gi, (_, code: string) => character(code, 16))
    .replace(/%([\da-f]{2})/gi, (_, code: string) => character(code, 16))
    .replace(/\\(?:u00|x)([\da-f]{2})/gi, (_, code: string) => character(code, 16));
}

function character(code: string, radix: number): string {
  const point = Number.parseInt(code, radix);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : "";
}

/** The characters that base64 has for the number wherever it begins in the text, without those that its neighbours change. */
function base64Parts(pan: string): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.from("\u0000".repeat(before) + pan).toString("base64");
    const end = Math.floor(((before + pan.length) * 8) / 6);
    return whole.slice(Math.ceil((before * 8) / 6), end);
  });
}

/** A field of a page that carries the form's CVV on. */
const CVV_FIELD = /\bname\s*=\s*["']?cv(?:2|v2?|v2val)\b/i;
