import { Ledger, LedgerCorruptError } from "@holdfast/bank-simulator/core";

import { Bank } from "./bank.ts";
import type { EndedDay } from "./business-day.ts";
import type { Closing } from "./closings.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** A bank as its ledger and its days' ends tell it. `lastDay` is the last that ended; `lastAt` the time of the last line. */
export type RebuiltBank = {
  bank: Bank;
  ledger: Ledger<LedgerLine>;
  lastDay: EndedDay | undefined;
  lastAtMs: number;
};

/**
 * Opens the ledger and replays it, with each day's end in its place.
 * @throws LedgerCorruptError when the ledger is none, or a day has ended after lines that it does not have
 */
export async function rebuildBank(ledgerFile: string, past: readonly Closing[]): Promise<RebuiltBank> {
  const bank = new Bank();
  let ended = 0;
  let lastDay: EndedDay | undefined;
  let lastAtMs = 0;
  const endDays = (beforeSequence: number) => {
    for (let next = past[ended]; next && next.throughSequence < beforeSequence; next = past[ended]) {
      const { batch } = bank;
      lastDay = { batch, closedAtMs: Date.parse(next.at), movements: bank.settle() };
      lastAtMs = Math.max(lastAtMs, lastDay.closedAtMs);
      ended += 1;
    }
  };
  const ledger = await Ledger.open<LedgerLine>(ledgerFile, (line) => {
    endDays(line.sequence);
    bank.apply(line);
    lastAtMs = Math.max(lastAtMs, Date.parse(line.at));
  });
  endDays(bank.sequence + 1);
  if (ended < past.length) {
    await ledger.close();
    throw new LedgerCorruptError("a business day has ended after lines that the ledger does not have");
  }
  return { bank, ledger, lastDay, lastAtMs };
}
