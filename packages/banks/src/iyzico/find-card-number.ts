/**
 * Finds a card number in a text in any form that a bank's page or message could give it: with separators, in percent,
 * HTML, JavaScript or JSON escapes, in hexadecimal, or in Base64.
 */
export function containsCardNumber(text: string, pan: string): boolean {
  const inDigits = (readable: string) => digitsOf(readable).includes(pan);
  if (inDigits(text) || inDigits(withoutTags(text))) return true;
  if (MAY_HAVE_ESCAPES.test(text) && inDigits(unescapeDigits(text))) return true;
  return encodingsOf(pan).some((encoded) => text.includes(encoded));
}

/**
 * Separators fall away, so that a number in groups is found, too. Quotes stay: a card's BIN and last digits, which an
 * answer has in two fields side by side, are no card number.
 */
function digitsOf(text: string): string {
  return text.replace(/[^0-9"]+/g, "");
}

function withoutTags(text: string): string {
  return text.replace(/<[^<>]*>/g, "");
}

const MAY_HAVE_ESCAPES = /[%\\&]/;

/** The digits are U+0030 to U+0039: `%34`, `&#52;`, `&#x34;`, `\x34` and `\u0034` are all a 4. */
function unescapeDigits(text: string): string {
  return text
    .replace(/(?:%|\\x|\\u00|&#x0{0,6})3(\d);?/gi, "$1")
    .replace(/&#0{0,6}(4[89]|5[0-7]);?/g, (_escape, code: string) => String.fromCodePoint(Number(code)));
}

/** Hexadecimal, and Base64, which has three forms of a text, by where it begins in a group of three bytes. */
function encodingsOf(pan: string): string[] {
  return [Buffer.from(pan).toString("hex"), ...[0, 1, 2].map((offset) => inBase64(pan, offset))];
}

/** Leaves out the characters at both ends, which also encode bits of the neighbouring bytes. */
function inBase64(pan: string, offset: number): string {
  const encoded = Buffer.from("\0".repeat(offset) + pan).toString("base64url");
  const first = offset === 0 ? 0 : offset + 1;
  const wholeGroups = Math.floor((offset + pan.length) / 3) * 4;
  return encoded.slice(first, wholeGroups);
}
