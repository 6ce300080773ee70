import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { EndedDay } from "./book.ts";
import type { Payout } from "./payouts.ts";
import { writeDurably } from "./write-durably.ts";

/**
 * A file that a bank makes of an ended day, and the payouts that it announces. Its text is composed only if
 * the file does not exist.
 */
export type SettlementFile = { name: string; content: () => string | Buffer; payouts: () => Payout[] };

/**
 * The files of ended days, next to the ledger. They follow from the ledger and the days' ends, so one that a crash has
 * prevented is written at the next start.
 */
export class SettlementFolder<Line> {
  readonly #path: string;
  readonly #filesOf: (day: EndedDay<Line>) => SettlementFile[];
  readonly #names: string[] = [];

  constructor(ledgerFile: string, filesOf: (day: EndedDay<Line>) => SettlementFile[]) {
    this.#path = `${ledgerFile}.settlement`;
    this.#filesOf = filesOf;
  }

  /** Writes the files of a day that are not there. */
  async write(day: EndedDay<Line>): Promise<void> {
    const files = this.#filesOf(day);
    if (files.length === 0) return;
    await mkdir(this.#path, { recursive: true });
    const written = new Set(await readdir(this.#path));
    for (const { name, content } of files) {
      if (!written.has(name)) await writeDurably(join(this.#path, name), content());
      this.#names.push(name);
    }
  }

  /** The names of the newest files, a thousand at most, oldest first. */
  list(): string[] {
    return this.#names.slice(-NAMES_MAX);
  }

  /** @returns undefined for a name that is not a settlement file's */
  async read(name: string): Promise<Buffer | undefined> {
    return this.#names.includes(name) ? await readFile(join(this.#path, name)) : undefined;
  }
}

const NAMES_MAX = 1_000;
