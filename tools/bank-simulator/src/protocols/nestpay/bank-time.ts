import { createHash } from "node:crypto";

import { BankClock, type ShownTimes } from "../../core/index.ts";

export const ZONE = "Europe/Istanbul";
export const DAY_MS = 86_400_000;

/** The zone by which the bank judges and names movements, whatever its clocks show. */
const zone = new BankClock(ZONE);

/** `yyyy-MM-dd HH:mm:ss.SSS`, the form of AUTH_DTTM. Times are epoch milliseconds. */
export function inquiryTime(clock: ShownTimes, atMs: number): string {
  const { date, time } = clock.wall(atMs);
  return `${date} ${time}`;
}

/** `yyyyMMdd HH:mm:ss`, the form of TRXDATE. */
export function transactionDate(clock: ShownTimes, atMs: number): string {
  return inquiryTime(clock, atMs).replaceAll("-", "").slice(0, -4);
}

/** `MMdd-HHmmss`, the form of HOSTDATE. */
export function hostDate(clock: ShownTimes, atMs: number): string {
  return transactionDate(clock, atMs).slice(4).replace(" ", "-").replaceAll(":", "");
}

/** `dd.MM.yyyy` and `HH:mm:ss`, as statements have them. */
export function statementTime(clock: ShownTimes, atMs: number): { date: string; time: string } {
  const { date, time } = clock.wall(atMs);
  return { date: date.split("-").toReversed().join("."), time: time.slice(0, 8) };
}

/** True if a card with this last month, such as `2030-12`, has expired. */
export function hasExpired(month: string, nowMs: number): boolean {
  return zone.wall(nowMs).date.slice(0, 7) > month;
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
  const { date, time } = zone.wall(atMs);
  const dayOfYear = (Date.parse(date) - Date.parse(date.slice(0, 4))) / DAY_MS + 1;
  const day = `${date.slice(2, 4)}${String(dayOfYear).padStart(3, "0")}`;
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
