import type { z } from "zod";
import { passesLuhn } from "./card.ts";

/**
 * True if a person's text contains a card number, however it is written: in the digits of any script, with
 * anything but letters between them, percent-encoded. A card number is 13 to 19 digits with a valid check
 * digit, and its beginning and length are a card scheme's. A weaker test would match order numbers and the
 * IMEIs of phones, which have the same check digit. Telephone numbers with a plus sign, and the digits of a
 * fraction, do not match.
 *
 * A group of digits is tested whole, alone and with its neighbours, and a group of more than 19 digits never
 * matches: two of three references of 24 digits contain a card number somewhere. Hexadecimal ids are left out
 * for the same reason. A comma with a space behind it ends a number.
 */
export function holdsCardNumber(text: string): boolean {
  return runsOf(text).some((run) => holdsCard(run.match(/[0-9]+/g) ?? []));
}

/**
 * The same check for ids, keys, addresses and other values that programs make of numbers. One in ten
 * telephone numbers, article numbers and national ids of 13 or 14 digits has a card number's check digit. The
 * digits here must therefore be consecutive and 15 or more, or grouped as cards show them.
 */
export function isMadeOfCardNumber(id: string): boolean {
  return runsOf(id).some((run) =>
    [...run.matchAll(AS_ON_CARDS)].some(([, together, grouped = ""]) => {
      if (together !== undefined) return isCardNumber(together);
      const digits = grouped.replaceAll(/[^0-9]/g, "");
      // A security code may follow.
      return isCardNumber(digits) || isCardNumber(digits.slice(0, 16));
    }),
  );
}

/** True if a text holds this card's number, with any characters between the digits. */
export function holdsThisCard(text: string, pan: string): boolean {
  return readingsOf(text).some((reading) => reading.replaceAll(/[^0-9]/g, "").includes(pan));
}

/**
 * True if a card number stands anywhere among a text's digits, also within a longer id. It is for ids that are
 * random, and that nobody misses when they are replaced.
 */
export function hidesCardNumber(text: string): boolean {
  return (text.match(LONG_RUN) ?? []).some((run) => {
    for (let from = 0; from + DIGITS_MIN <= run.length; from++) {
      for (let length = DIGITS_MIN; length <= DIGITS_MAX && from + length <= run.length; length++) {
        if (isCardNumber(run.slice(from, from + length))) return true;
      }
    }
    return false;
  });
}

const LONG_RUN = /[0-9]{13,}/g;
const DIGITS_MIN = 13;

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

/** A check for schemas of addresses and ids. */
export function cardNumberFree({ value, issues }: z.core.ParsePayload<string>): void {
  if (!isMadeOfCardNumber(value)) return;
  const { code, message } = CARD_NUMBER_FAULT;
  issues.push({ code: "custom", input: value, params: { code }, message });
}

/** The parts of a text in which the digits of one number may stand, in each of its readings. */
function runsOf(text: string): string[] {
  return readingsOf(text).flatMap((reading) =>
    reading
      .replaceAll(/[0-9a-f-]+/gi, withoutHexadecimalIds)
      .replaceAll(FRACTION, "x")
      .split(BETWEEN_NUMBERS)
      .map((run) => run.replaceAll(TELEPHONE, "x")),
  );
}

/** The digits that `Math.random()` and others write behind `0.`; nobody groups a card's digits like this. */
const FRACTION = /(?<![0-9.])0\.[0-9]{15,}(?![0-9])/g;
/** E.164: a plus sign and at most 15 digits. A plus sign behind a digit is a space of a query. */
const TELEPHONE = /(?<![0-9])\+(?:[0-9][ ().-]{0,2}){7,15}(?![0-9])/g;
/** Digits together, or in the groups of Visa and others, of American Express and of Diners Club. */
const AS_ON_CARDS =
  /(?<![0-9])(?=(?:([0-9]{15,19})|([0-9]{4}([^0-9])[0-9]{4}\3[0-9]{4}\3[0-9]{4}(?:\3[0-9]{1,4})?|[0-9]{4}([^0-9])[0-9]{6}\4[0-9]{4,5}))(?![0-9]))/gu;

/** The text with digits in ASCII and without invisible characters: as it is, and percent-decoded up to twice. */
function readingsOf(text: string): string[] {
  const decoded = percentDecoded(text);
  const texts = decoded === text ? [text] : [text, decoded, percentDecoded(decoded)];
  return texts.map((each) => withAsciiDigits(each.normalize("NFKC").replaceAll(INVISIBLE, "-")));
}

/** The text in its plain form, with the digits of every script in ASCII. */
export function withAsciiDigits(text: string): string {
  return text.normalize("NFKC").replaceAll(FOREIGN_DIGIT, asciiDigit);
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

/**
 * A script's ten digits are consecutive in Unicode, and no more than two scripts follow each other without a
 * gap.
 */
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
    lengths: [14, 16, 19],
    prefixes: [
      ["300", "305"],
      ["3095", "3095"],
      ["36", "36"],
      ["38", "39"],
    ],
  },
  // JCB and UnionPay
  {
    lengths: [16, 17, 18, 19],
    prefixes: [
      ["3528", "3589"],
      ["62", "62"],
      ["81", "81"],
    ],
  },
  // Discover, Troy and RuPay, and Maestro in its usual length
  {
    lengths: [16],
    prefixes: [
      ["50", "50"],
      ["56", "61"],
      ["63", "69"],
    ],
  },
  // Discover
  {
    lengths: [19],
    prefixes: [
      ["6011", "6011"],
      ["644", "659"],
    ],
  },
  // Maestro, which may have any length. Beyond the beginnings that are in use it holds mostly other numbers.
  {
    lengths: [13, 14, 15, 16, 17, 18, 19],
    prefixes: [
      ["5018", "5018"],
      ["5020", "5020"],
      ["5038", "5038"],
      ["5893", "5893"],
      ["6304", "6304"],
      ["6759", "6759"],
      ["6761", "6763"],
    ],
  },
];
