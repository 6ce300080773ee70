import { readFile } from "node:fs/promises";

import { LedgerCorruptError, writeDurably, type Ledger } from "@holdfast/simulator-kit";
import { z } from "zod";

import type { LedgerLine } from "./ledger-entry.ts";
import type { Bank } from "./bank.ts";

/** The last closing; `throughSequence` is the ledger's last line on that day. */
type Closing = { closedAt: string; throughSequence: number };

/**
 * The bank's days. A closing settles the captures and sales before it. It is kept in a file next to the ledger,
 * `<ledger>.business-day.json`, because the ledger's lines are operations only, and is durable before it has an effect.
 */
export class BusinessDay {
  readonly #path: string;
  readonly #bank: Bank;
  readonly #ledger: Ledger<LedgerLine>;
  #last: Closing | undefined;
  #closing: Promise<void> = Promise.resolve();

  private constructor(path: string, bank: Bank, ledger: Ledger<LedgerLine>, last: Closing | undefined) {
    this.#path = path;
    this.#bank = bank;
    this.#ledger = ledger;
    this.#last = last;
  }

  /**
   * Reads the last closing and repeats its settlement, in a bank that has every entry of the ledger.
   * @throws LedgerCorruptError when the file is not a closing of this ledger
   */
  static async open(ledgerFile: string, bank: Bank, ledger: Ledger<LedgerLine>): Promise<BusinessDay> {
    const path = `${ledgerFile}.business-day.json`;
    const last = await readClosing(path);
    if (last && last.throughSequence > bank.sequence) {
      throw new LedgerCorruptError("the business day was closed after lines that the ledger does not have");
    }
    if (last) bank.settle(last.throughSequence);
    return new BusinessDay(path, bank, ledger, last);
  }

  /** The time of the last closing, ISO 8601 in UTC; undefined before the first one. */
  get closedAt(): string | undefined {
    return this.#last?.closedAt;
  }

  /** Closes the day. Closings follow one another: a failed one settles nothing and does not keep the next from trying. */
  close(): Promise<void> {
    const closing = this.#closing.then(() => this.#close());
    this.#closing = closing.catch(() => undefined);
    return closing;
  }

  async #close(): Promise<void> {
    const closing = { closedAt: new Date().toISOString(), throughSequence: this.#bank.sequence };
    // A crash may not leave a closing over lines that were lost: others would take their place.
    await this.#ledger.flushed();
    await writeDurably(this.#path, `${JSON.stringify(closing)}\n`);
    this.#bank.settle(closing.throughSequence);
    this.#last = closing;
  }
}

async function readClosing(path: string): Promise<Closing | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const parsed = closingSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new LedgerCorruptError("the business day's file is not a closing");
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const closingSchema = z.object({ closedAt: z.iso.datetime(), throughSequence: z.int().nonnegative() });
