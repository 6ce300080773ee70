import { createHash } from "node:crypto";

import { millisecondsOfDay, transactionDate, yearAndDay } from "../bank-time.ts";

/** The names of a new movement. */
export type Identifiers = { transactionId: string; hostReference: string; authCode: string };

/**
 * The names of the movement that is the ledger's `sequence`-th line, at `atMs` in epoch milliseconds. A TransId has the
 * form `22302V8rE11732`: year and day, four characters of time, a letter and a number.
 */
export function identifiersOf(sequence: number, atMs: number): Identifiers {
  const digest = createHash("sha256").update(`${sequence}/${atMs}`).digest();
  const letter = LETTERS[digest.readUInt8(0) % LETTERS.length] ?? "A";
  const number = String(10_000 + (sequence % 90_000));
  const hour = transactionDate(atMs).slice(9, 11);
  return {
    transactionId: `${yearAndDay(atMs)}${timeCharacters(atMs)}${letter}${number}`,
    hostReference: `${yearAndDay(atMs).slice(1)}${hour}${String(sequence % 1_000_000).padStart(6, "0")}`,
    authCode: String(digest.readUInt32BE(1) % 1_000_000).padStart(6, "0"),
  };
}

/** Tenths of a second of the day, in four characters of base 62. */
function timeCharacters(atMs: number): string {
  let rest = Math.floor(millisecondsOfDay(atMs) / 100);
  let text = "";
  for (let count = 0; count < 4; count += 1) {
    text = `${BASE_62[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE_62 = `0123456789${LETTERS}${LETTERS.toLowerCase()}`;
