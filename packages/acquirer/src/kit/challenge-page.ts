import type { HttpAnswer } from "./bounded-http-client.ts";
import { decodeText } from "./decode-text.ts";
import { containsCardNumber } from "./masks.ts";

/**
 * The page with which a bank answers a 3-D Secure form that we posted; undefined for any other answer.
 * @param undeclared the encoding of a page that declares none.
 */
export function answeredPage(
  answer: HttpAnswer,
  card: { pan: string },
  undeclared?: string,
): string | undefined {
  const { status, contentType = "" } = answer;
  const isPage = status === 200 && /^text\/html\s*(?:;|$)/i.test(contentType);
  return isPage ? challengePage(decodeText(answer, undeclared), card) : undefined;
}

/**
 * A bank's 3-D Secure page, for the cardholder's browser: it is kept until the challenge is over, and the card is not.
 * @returns undefined for a text that is no HTML, or that has the card's number, or a field with its CVV, in it.
 */
export function challengePage(text: string | undefined, { pan }: { pan: string }): string | undefined {
  if (text === undefined || !PAGE.test(text) || text.includes("\u0000")) return undefined;
  // The number may be spread over quoted attributes.
  const hasCard = containsCardNumber(text.replaceAll('"', ""), pan) || CVV_FIELD.test(text);
  return hasCard ? undefined : text;
}

/** A form without an address would lead to us, who show the page, and not to the issuer. */
export function leadsNowhere(html: string): boolean {
  return /<form\b[^>]*\saction\s*=\s*(?:""|'')/i.test(html);
}

const PAGE = /<(?:html|form|body|script)\b/i;
const CVV_FIELD = /\bname\s*=\s*["']?(?:card)?cv(?:2|v2?|v2val)\b/i;

/** The values of a page's inputs, unchanged, by their names in lower case. */
export function hiddenInputs(html: string): ReadonlyMap<string, string> {
  const inputs = [...html.matchAll(/<input\b([^<>]*)>/gi)].map(([, attributes = ""]) => attributes);
  return new Map(inputs.map((of) => [attributeOf(of, "name").toLowerCase(), attributeOf(of, "value")]));
}

function attributeOf(attributes: string, name: string): string {
  const pattern = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, "i");
  const [, double, single, bare] = pattern.exec(attributes) ?? [];
  return double ?? single ?? bare ?? "";
}
