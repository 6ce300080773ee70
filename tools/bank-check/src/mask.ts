import type { TestAccount } from "./account-file.ts";

/**
 * Makes a text that can be shown: card data and credentials are replaced in any encoding of a request or an answer. A
 * card number that an answer repeats in another form (one that passes the card numbers' check) is replaced, too.
 */
export function createMask({ secrets, testCard }: Pick<TestAccount, "secrets" | "testCard">) {
  const hidden = Object.entries(secrets).map(([name, value]) => [value, `[${name}]`] as const);
  // The longest first: one credential may be a piece of another.
  const texts = hidden.toSorted(([a], [b]) => b.length - a.length).flatMap(inEveryEncoding);
  const { pan } = testCard;
  return (text: string): string => {
    let shown = decoded(text);
    for (const [value, name] of texts) shown = shown.replaceAll(value, name);
    shown = shown.replaceAll(pan, maskedNumber(pan));
    shown = shown.replace(NAMED_FIELD, (_all, before: string, after: string) => `${before}[hidden]${after}`);
    shown = shown.replace(NAMED_PARAMETER, "$1=[hidden]");
    return shown.replace(/\d(?:[ -]?\d){12,18}/g, (digits) =>
      isCardNumber(digits.replace(/\D/g, "")) ? maskedNumber(digits.replace(/\D/g, "")) : digits,
    );
  };
}

function inEveryEncoding([value, name]: readonly [string, string]): [string, string][] {
  const xml = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const json = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, xml, json, encodeURIComponent(value)])].map((each) => [each, name]);
}

/** A form's one XML field, or its fields, as a person reads them. */
function decoded(text: string): string {
  if (!/^[\w.-]+=/.test(text)) return text;
  return [...new URLSearchParams(text)].map(([name, value]) => `${name}=${value}`).join("\n");
}

/** Elements and members that have a card's security code, its expiry, or the proof in its place. */
const NAMES =
  "Cvv2Val|CVV2|cvv2|cvc|cvv|Expires|expDate|data1|data2|posnetData|posnetData2|mac|ExpireDate|expireDate|expiredDate|expireYear|expireMonth|PayerAuthenticationCode|cavv|secureId|secureData|secureMd|md|Md|hash|HASH|HashData|secure3dhash|signature|cardToken|cardUserKey";
const NAMED_FIELD = new RegExp(`(<(?:${NAMES})>|"(?:${NAMES})"\\s*:\\s*"?)[^<",}]*(</|"|,|})`, "g");
const NAMED_PARAMETER = new RegExp(
  `^(${NAMES}|cv2|cardcvv2|cardexpiredatemonth|cardexpiredateyear|Ecom_Payment_Card_ExpDate_Month|Ecom_Payment_Card_ExpDate_Year)=.*$`,
  "gm",
);

function maskedNumber(pan: string): string {
  return `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`;
}

/** Luhn's check (ISO/IEC 7812-1). */
function isCardNumber(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}
