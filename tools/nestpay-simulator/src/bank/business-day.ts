import type { Ledger } from "@holdfast/bank-simulator/core";

import type { Bank, DayMovement } from "./bank.ts";
import type { Closing } from "./closings.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** The results of a day's end: its batch, its time in epoch milliseconds, and the day's movements. */
export type EndedDay = { batch: number; closedAtMs: number; movements: DayMovement[] };

export type BusinessDayDeps = {
  bank: Pick<Bank, "batch" | "sequence" | "settle">;
  ledger: Pick<Ledger<LedgerLine>, "flushed">;
  closings: Pick<Ledger<Closing>, "append">;
  now: () => number;
  /** Writes the day's settlement files. */
  writeSettlements: (day: EndedDay) => Promise<void>;
  closedAt: string | undefined;
};

/**
 * The bank's days (Nestpay protocol, rules of life 5). No call is judged while a day ends, so that every line of the
 * ledger belongs to one day, even if the process is killed.
 */
export class BusinessDay {
  readonly #deps: BusinessDayDeps;
  #closedAt: string | undefined;
  #ending: Promise<void> = Promise.resolve();
  #isEnding = 0;

  constructor(deps: BusinessDayDeps) {
    this.#deps = deps;
    this.#closedAt = deps.closedAt;
  }

  /** The time at which the last day ended, ISO 8601 in UTC; undefined before the first end. */
  get closedAt(): string | undefined {
    return this.#closedAt;
  }

  /** Resolves when no end is under way. The caller has to judge before its next `await`. */
  async isOpen(): Promise<void> {
    while (this.#isEnding > 0) await this.#ending;
  }

  /** Ends the day. Ends follow one another: a failed one settles nothing and does not keep the next from trying. */
  async end(): Promise<void> {
    this.#isEnding += 1;
    const ending = this.#ending.then(() => this.#end()).finally(() => (this.#isEnding -= 1));
    this.#ending = ending.then(
      () => undefined,
      () => undefined,
    );
    await ending;
  }

  async #end(): Promise<void> {
    const { bank, ledger, closings, now, writeSettlements } = this.#deps;
    // A crash may not leave an end over lines that were lost: others would take their place.
    await ledger.flushed();
    const closedAtMs = now();
    const at = new Date(closedAtMs).toISOString();
    await closings.append({ at, throughSequence: bank.sequence });
    const { batch } = bank;
    this.#closedAt = at;
    const movements = bank.settle();
    await writeSettlements({ batch, closedAtMs, movements });
  }
}
