import { Ledger, type LedgerRow } from "@holdfast/bank-simulator/core";

/** One day's end: its sequence is the batch, `throughSequence` the ledger's last line on that day. */
export type Closing = LedgerRow & { throughSequence: number };

/** The days' ends, in a file of their own next to the ledger, because the ledger's lines are operations only. */
export async function openClosings(
  ledgerFile: string,
): Promise<{ closings: Ledger<Closing>; past: Closing[] }> {
  const past: Closing[] = [];
  const closings = await Ledger.open<Closing>(`${ledgerFile}.business-day.ndjson`, (line) => past.push(line));
  return { closings, past };
}
