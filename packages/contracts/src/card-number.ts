import type { z } from "zod";
import { passesLuhn } from "./card.ts";

/**
 * Tells whether a text holds a card number, however it is written: in the digits of any script, with anything but
 * letters between them, percent-encoded. A card number is 13 to 19 digits with a valid check digit that begin, and are
 * as many, as a card scheme's do; nothing less would spare order numbers and the IMEIs of phones, which have the same
 * check digit.
 *
 * A group of digits is judged whole, alone and with its neighbours, and one of more than 19 digits is no card: two of
 * three references of 24 digits hold a card number somewhere inside. Hexadecimal ids are left out for the same reason,
 * and a comma with a space behind it is the end of a number and not a part of it.
 */
export function holdsCardNumber(text: string): boolean {
  return readingsOf(text).some((reading) =>
    reading
      .replaceAll(/[0-9a-f-]+/gi, withoutHexadecimalIds)
      .split(BETWEEN_NUMBERS)
      .some((run) => holdsCard(run.match(/[0-9]+/g) ?? [])),
  );
}

/** Tells whether a text holds this card's number, with any characters between the digits. */
export function holdsThisCard(text: string, pan: string): boolean {
  return readingsOf(text).some((reading) => reading.replaceAll(/[^0-9]/g, "").includes(pan));
}

/** Judges digits by scheme, length and check digit. */
export function isCardNumber(digits: string): boolean {
  const { length } = digits;
  return (
    SCHEMES.some(({ lengths, prefixes }) => lengths.includes(length) && beginsWithin(digits, prefixes)) &&
    passesLuhn(digits)
  );
}

/** The fault of a field that holds a card number. */
export const CARD_NUMBER_FAULT = {
  code: "card_number",
  message:
    "must not contain a card number; if this is another number of 13 to 19 digits, put a letter between its digits",
} as const;

/** A check for schemas of other texts than `textSchema`'s. */
export function cardNumberFree({ value, issues }: z.core.ParsePayload<string>): void {
  if (!holdsCardNumber(value)) return;
  const { code, message } = CARD_NUMBER_FAULT;
  issues.push({ code: "custom", input: value, params: { code }, message });
}

/** The text with digits in ASCII and without invisible characters: as it is, and percent-decoded up to twice. */
function readingsOf(text: string): string[] {
  const decoded = percentDecoded(text);
  const texts = decoded === text ? [text] : [text, decoded, percentDecoded(decoded)];
  return texts.map((each) =>
    each.normalize("NFKC").replaceAll(INVISIBLE, "-").replaceAll(FOREIGN_DIGIT, asciiDigit),
  );
}

/** Some invisible characters count as letters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
/** Letters, and characters that stand between the numbers of a list and never within one. */
const BETWEEN_NUMBERS = /[\p{L}\p{Nl}\p{No}]|[,;:] /u;

/** An `x` in the place of each UUID and each hash or id of at least 12 bytes. Without a letter it may be anything. */
function withoutHexadecimalIds(token: string): string {
  const parts = token.split("-");
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const isUuid = UUID_LENGTHS.every((length, at) => parts[index + at]?.length === length);
    const id = isUuid ? parts.slice(index, index + UUID_LENGTHS.length) : [parts[index]!];
    const isLong = isUuid || parts[index]!.length >= 24;
    kept.push(isLong && /[a-f]/i.test(id.join("")) ? "x" : id.join("-"));
    index += id.length - 1;
  }
  return kept.join("-");
}

const UUID_LENGTHS = [8, 4, 4, 4, 12];

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
  );
}

/** Unicode has the ten digits of a script in a row, and nowhere more than two scripts without a gap between them. */
function asciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0)!;
  let zero = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((codePoint - zero) % 10);
}

/** Each window of neighbouring groups; a window has at most 19 digits, so the work grows with the text alone. */
function holdsCard(groups: string[]): boolean {
  return groups.some((_, first) => {
    let digits = "";
    for (let index = first; index < groups.length && digits.length < DIGITS_MAX; index++) {
      digits += groups[index]!.slice(0, DIGITS_MAX + 1);
      if (isCardNumber(digits)) return true;
    }
    return false;
  });
}

const DIGITS_MAX = 19;

function beginsWithin(digits: string, prefixes: readonly (readonly [string, string])[]): boolean {
  return prefixes.some(([from, to]) => {
    const beginning = digits.slice(0, from.length);
    return beginning >= from && beginning <= to;
  });
}

type Scheme = { lengths: readonly number[]; prefixes: readonly (readonly [from: string, to: string])[] };

const ANY_LENGTH = [13, 14, 15, 16, 17, 18, 19];

/** The first digits and the lengths of each scheme's numbers. */
const SCHEMES: readonly Scheme[] = [
  // Visa
  { lengths: [13, 16, 19], prefixes: [["4", "4"]] },
  // Mastercard, Mir and Troy
  {
    lengths: [16],
    prefixes: [
      ["51", "55"],
      ["2221", "2720"],
      ["2200", "2204"],
      ["9792", "9792"],
    ],
  },
  // American Express
  {
    lengths: [15],
    prefixes: [
      ["34", "34"],
      ["37", "37"],
    ],
  },
  // Diners Club
  {
    lengths: [14, 15, 16, 17, 18, 19],
    prefixes: [
      ["300", "305"],
      ["3095", "3095"],
      ["36", "36"],
      ["38", "39"],
    ],
  },
  // JCB, and UnionPay beside 62
  {
    lengths: [16, 17, 18, 19],
    prefixes: [
      ["3528", "3589"],
      ["81", "81"],
    ],
  },
  // Maestro, and within it UnionPay (62), Discover (6011, 644-649, 65) and Troy (65)
  {
    lengths: ANY_LENGTH,
    prefixes: [
      ["50", "50"],
      ["56", "69"],
    ],
  },
];
