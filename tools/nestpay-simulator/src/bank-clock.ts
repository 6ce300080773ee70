/**
 * The bank's time: the machine's, moved forward by `POST /clock`. It never stands before the ledger's last line, so
 * that a restart does not go back in time.
 */
export class BankClock {
  readonly #machineNow: () => number;
  #aheadMs = 0;

  constructor(machineNow: () => number = Date.now) {
    this.#machineNow = machineNow;
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
}
