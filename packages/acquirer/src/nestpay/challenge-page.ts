import type { RawHttpExchange } from "../bounded-http-client.ts";
import { decodeBytes } from "./read-answer.ts";

/**
 * The page with which the bank answers the 3-D Secure form, which is what the cardholder's browser is shown.
 * @returns undefined for what is no HTML, and for a page that has the card's number in it: it is kept until the challenge is
 * over, and the card is not.
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

/** Whether a text has a card number in it, as digits with anything between them, escaped, as hexadecimal digits or in base64. */
export function hasCardNumber(text: string, pan: string): boolean {
  const plain = unescape(unescape(text));
  return [...new Set([text, plain])].some(
    (read) =>
      read.replace(/\D/g, "").includes(pan) ||
      read.replace(/[^\da-f]/gi, "").includes(Buffer.from(pan).toString("hex")) ||
      base64Parts(pan).some((part) => read.replace(/\s/g, "").includes(part)),
  );
}

/** What HTML, URLs and scripts write for a character. */
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

/** A page that carries on what the form had in its field for the CVV. */
const CVV_FIELD = /\bname\s*=\s*["']?cv(?:2|v2?|v2val)\b/i;
