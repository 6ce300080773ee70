import { kindness, type Unkindness } from "./unkindness.ts";

/** A moment on a wall clock: `date` is `2026-01-31`, `time` is `09:05:07.123`. */
export type WallTime = { date: string; time: string };

/** The times that a bank shows. */
export type ShownTimes = Pick<BankClock, "shown" | "wall">;

/**
 * The bank's time: the machine's, moved forward by `POST /clock`, and the wall clock of its zone. It is never
 * before the ledger's last line, so a restart does not go back in time. The bank judges by the correct time,
 * and shows a time that its modes may have shifted.
 */
export class BankClock {
  readonly #machineNow: () => number;
  readonly #zone: string;
  readonly #modes: Readonly<Pick<Unkindness, "clockOffsetSeconds" | "zone">>;
  #aheadMs = 0;
  /** The quarter of an hour since 1970 that was asked for last, and how far the zone is ahead of UTC in it. */
  #quarter = Number.NaN;
  #quarterZone = "";
  #eastMs = 0;

  /**
   * @param zone a name of IANA, such as `Europe/Istanbul`
   * @param modes may change while it runs
   */
  constructor(
    zone: string,
    machineNow: () => number = Date.now,
    modes: Readonly<Pick<Unkindness, "clockOffsetSeconds" | "zone">> = kindness,
  ) {
    this.#machineNow = machineNow;
    this.#zone = zone;
    this.#modes = modes;
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#machineNow() + this.#aheadMs;
  }

  advance(byMs: number): void {
    this.#aheadMs += byMs;
  }

  notBefore(atMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, atMs - this.#machineNow());
  }

  /** A moment as the bank's clock has it. */
  shown(atMs: number): number {
    return atMs + this.#modes.clockOffsetSeconds * 1_000;
  }

  /** The time on the wall clock of the bank's zone. */
  wall(rightMs: number): WallTime {
    const atMs = this.shown(rightMs);
    const zone = this.#modes.zone ?? this.#zone;
    // A zone's distance from UTC changes at a quarter of an hour only, and asking for it is slow.
    const quarter = Math.floor(atMs / QUARTER_MS);
    if (quarter !== this.#quarter || zone !== this.#quarterZone) {
      this.#quarter = quarter;
      this.#quarterZone = zone;
      const there = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
      this.#eastMs = there.offsetNanoseconds / 1_000_000;
    }
    const [date = "", time = ""] = new Date(atMs + this.#eastMs).toISOString().slice(0, -1).split("T");
    return { date, time };
  }
}

const QUARTER_MS = 900_000;
