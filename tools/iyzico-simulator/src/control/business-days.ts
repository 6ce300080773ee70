import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { writeDurably, type Ledger } from "@holdfast/bank-simulator/core";

import type { Bank, Closing } from "../bank/bank.ts";
import type { DayClosed, EventLine } from "../bank/event-line.ts";
import type { LedgerLine } from "../bank/ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import { settlementCsv, settlementName } from "./settlement-csv.ts";
import { settlementLines } from "./settlement-lines.ts";

type Deps = {
  bank: Bank;
  ledger: Ledger<LedgerLine>;
  events: Ledger<EventLine>;
  merchants: readonly Merchant[];
  /** The folder of the settlement files, `<ledger file>.settlement`. */
  folder: string;
  now: () => number;
};

/**
 * The bank's days. A closing settles the captures and sales before it and writes a settlement file for each merchant.
 * The files follow from the ledger and the closings, so one that a crash has prevented is written at the next start.
 */
export class BusinessDays {
  readonly #deps: Deps;
  #closing: Promise<void> = Promise.resolve();

  private constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `closings` are those of the events, in a bank that has every entry of the ledger. */
  static async open(
    deps: Deps,
    closings: readonly { at: string; throughSequence: number }[],
  ): Promise<BusinessDays> {
    await mkdir(deps.folder, { recursive: true });
    const days = new BusinessDays(deps);
    const written = new Set(await readdir(deps.folder));
    for (const { at, throughSequence } of closings) {
      const closing = deps.bank.close(at, throughSequence);
      await days.#writeFiles(closing, (name) => !written.has(name));
    }
    return days;
  }

  /** The time of the last closing, ISO 8601 in UTC; undefined before the first one. */
  get closedAt(): string | undefined {
    return this.#deps.bank.closings.at(-1)?.at;
  }

  /** The names of the settlement files, oldest first. */
  get settlements(): string[] {
    const { bank, merchants } = this.#deps;
    return bank.closings.flatMap((closing) => merchants.map((merchant) => nameOf(closing, merchant)));
  }

  /** @returns undefined for a name that is not a settlement file's */
  async settlement(name: string): Promise<string | undefined> {
    if (!this.settlements.includes(name)) return undefined;
    return await readFile(join(this.#deps.folder, name), "utf8");
  }

  /** Closes the day. Closings follow one another: a failed one settles nothing and does not keep the next from trying. */
  close(): Promise<void> {
    const closing = this.#closing.then(() => this.#close());
    this.#closing = closing.catch(() => undefined);
    return closing;
  }

  async #close(): Promise<void> {
    const { bank, ledger, events, now } = this.#deps;
    const at = new Date(now()).toISOString();
    const throughSequence = bank.sequence;
    // A crash may not leave a closing over lines that were lost: others would take their place.
    await ledger.flushed();
    const event: DayClosed = { kind: "day_closed", throughSequence };
    await events.append({ at, ...event });
    await this.#writeFiles(bank.close(at, throughSequence), () => true);
  }

  async #writeFiles(closing: Closing, isMissing: (name: string) => boolean): Promise<void> {
    const { bank, merchants, folder } = this.#deps;
    for (const merchant of merchants) {
      const name = nameOf(closing, merchant);
      if (!isMissing(name)) continue;
      const head = {
        merchantId: merchant.merchantId,
        number: closing.number,
        closedAtMs: Date.parse(closing.at),
      };
      const lines = settlementLines(bank, closing, merchant.merchantId);
      await writeDurably(join(folder, name), settlementCsv(head, lines));
    }
  }
}

function nameOf({ number, at }: Closing, { merchantId }: Merchant): string {
  return settlementName({ merchantId, number, closedAtMs: Date.parse(at) });
}
