/** A moment on a wall clock: `date` is `2026-01-31`, `time` is `09:05:07.123`. */
export type WallTime = { date: string; time: string };

/**
 * The bank's time: the machine's, moved forward by `POST /clock`, and the wall clock of its zone. It never stands before
 * the ledger's last line, so that a restart does not go back in time.
 */
export class BankClock {
  readonly #machineNow: () => number;
  readonly #format: Intl.DateTimeFormat;
  #aheadMs = 0;

  /** @param zone a name of IANA, such as `Europe/Istanbul` */
  constructor(zone: string, machineNow: () => number = Date.now) {
    this.#machineNow = machineNow;
    this.#format = new Intl.DateTimeFormat("en-GB", { ...PARTS, timeZone: zone });
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

  /** A moment in epoch milliseconds on the wall clock of the bank's zone. */
  wall(atMs: number): WallTime {
    const parts = new Map(this.#format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
    return {
      date: `${part("year")}-${part("month")}-${part("day")}`,
      time: `${part("hour")}:${part("minute")}:${part("second")}.${part("fractionalSecond")}`,
    };
  }
}

const PARTS = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
} as const;
