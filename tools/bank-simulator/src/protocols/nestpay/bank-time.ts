import { createHash } from "node:crypto";

import { namingTime, transactionDate, type ShownTimes } from "../../core/index.ts";

/** `MMdd-HHmmss`, the form of HOSTDATE. */
export function hostDate(clock: ShownTimes, atMs: number): string {
  return transactionDate(clock, atMs).slice(4).replace(" ", "-").replaceAll(":", "");
}

/** The names of a new movement. */
export type Identifiers = { transactionId: string; hostReference: string; authCode: string };

/**
 * The names of the movement that is the ledger's `sequence`-th line. A TransId has the form `22302V8rE11732`: year and
 * day, four characters of time, a letter and a number.
 */
export function identifiersOf(sequence: number, atMs: number): Identifiers {
  const digest = createHash("sha256").update(`${sequence}/${atMs}`).digest();
  const letter = LETTERS[digest.readUInt8(0) % LETTERS.length];
  const { day, time } = namingTime(atMs);
  return {
    transactionId: `${day}${timeCharacters(time)}${letter}${10_000 + (sequence % 90_000)}`,
    hostReference: `${day.slice(1)}${time.slice(0, 2)}${String(sequence % 1_000_000).padStart(6, "0")}`,
    authCode: String(digest.readUInt32BE(1) % 1_000_000).padStart(6, "0"),
  };
}

/** Tenths of a second of the day, in four characters of base 62. */
function timeCharacters(time: string): string {
  const tenths = Math.floor(Date.parse(`1970-01-01T${time}Z`) / 100);
  const digits = [62 ** 3, 62 ** 2, 62, 1].map((place) => BASE_62[Math.floor(tenths / place) % 62]);
  return digits.join("");
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE_62 = `0123456789${LETTERS}${LETTERS.toLowerCase()}`;
