import { holdsThisCard } from "@holdfast/contracts";

/** The parts of a card that are nowhere but in memory. */
export type SoughtCard = { pan: string; cvv: string };

/** The decoded text has become too large to be looked through: it may hold anything. */
export type TextFinding = "clean" | "card" | "unreadable";

/**
 * Finds a card's number in a text: plain, reversed, with anything between its digits, in entities, escapes,
 * percent-encoding, hexadecimal or base64, and in one of these within another. It also finds the security
 * code, but only as the whole value of a field in a page or an address, since three digits occur anywhere by
 * chance.
 */
export function findCard(text: string, { pan, cvv }: SoughtCard): TextFinding {
  const numbers = [pan, Array.from(pan).toReversed().join("")];
  // Digits of other scripts are sought in the text itself: no bank encodes them once more.
  if (numbers.some((number) => holdsThisCard(text, number))) return "card";
  const fields = fieldsWith(cvv);
  let lookedAt = 0;
  let readings = new Set([text]);
  for (let depth = 0; depth <= DEPTH_MAX; depth++) {
    for (const reading of readings) {
      lookedAt += reading.length;
      if (lookedAt > WORK_MAX) return "unreadable";
      const digits = reading.replaceAll(/[^0-9]+/g, "");
      if (numbers.some((number) => digits.includes(number))) return "card";
      if (fields.some((field) => field.test(reading))) return "card";
    }
    readings = new Set([...readings].flatMap(decodings));
  }
  return "clean";
}

/** An encoding in an encoding in an encoding. */
const DEPTH_MAX = 3;
/** Characters of all readings together. The text itself has at most a hundredth of it. */
const WORK_MAX = 16_000_000;

/** Matches a whole value: of an input, of an address's parameter, or of a JSON string. */
function fieldsWith(cvv: string): RegExp[] {
  return [
    new RegExp(`^\\s*${cvv}\\s*$`),
    new RegExp(`\\bvalue\\s*=\\s*(["']?)\\s*${cvv}\\s*\\1(?=[\\s/>]|$)`, "i"),
    new RegExp(`(?:^|[?&])[^?&=\\s]+=${cvv}(?=[&#\\s"'<>]|$)`),
    new RegExp(`["']\\s*:\\s*["']${cvv}["']`),
  ];
}

/** The text with what is encoded in one way decoded, for each way that changes it. */
function decodings(text: string): string[] {
  return DECODERS.flatMap((decode) => decode(text)).filter((decoded) => decoded !== "" && decoded !== text);
}

const DECODERS: ((text: string) => string[])[] = [
  (text) => [text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => latin1("hex", bytes.replaceAll("%", "")))],
  (text) => [
    text.replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex?: string, decimal?: string) =>
      character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    ),
  ],
  (text) => [
    text.replaceAll(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, unicode?: string, byte?: string) =>
      character(Number.parseInt(unicode ?? byte ?? "", 16)),
    ),
  ],
  (text) => [
    runsOf(text, HEX)
      .map((run) => latin1("hex", run))
      .join("\n"),
  ],
  // The number's base64 begins at one of four offsets, whatever precedes it.
  (text) =>
    [0, 1, 2, 3].map((offset) =>
      runsOf(text, BASE64)
        .map((run) => latin1("base64", run.slice(offset)))
        .join("\n"),
    ),
];

const HEX = /(?:[0-9a-f]{2}){4,}/gi;
/** Short base64 counts only as the whole text, because words have four letters, too. */
const BASE64 = /^[\w+/-]{4,15}={0,2}$|[\w+/-]{16,}/g;

function runsOf(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? [];
}

function latin1(encoding: "hex" | "base64", text: string): string {
  return Buffer.from(text, encoding).toString("latin1");
}

function character(codePoint: number): string {
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : "";
}
