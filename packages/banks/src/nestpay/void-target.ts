import type { HistoryRow } from "./order-history.ts";

/**
 * The possible targets of a void: the one success of an order that still stands (`live`), one that its day's end has
 * settled, one that is voided, one that is undecided at the bank, or none. Several that stand are not ours to choose
 * from.
 */
export type VoidTarget =
  | { kind: "live" | "settled" | "voided"; row: HistoryRow & { transId: string } }
  | { kind: "pending" | "none" | "several" };

/**
 * @param transId of the movement that is meant, where it is known. A captured authorization may have got another name with its
 * capture, so that an order with one success only is about that one.
 */
export function voidTargetOf(rows: readonly HistoryRow[], transId?: string): VoidTarget {
  const sales = rows.filter(({ charge }) => charge === "S");
  const successes = sales.filter(isSuccess);
  const named = successes.filter((row) => row.transId === transId);
  const unvoided = successes.filter(({ state }) => state !== "V");
  const [row, ...others] = named.length > 0 ? named : unvoided;
  if (others.length > 0) return { kind: "several" };
  if (row) return { kind: row.state === "V" ? "voided" : row.state === "S" ? "settled" : "live", row };
  if (sales.some(({ state }) => UNDECIDED.has(state))) return { kind: "pending" };
  const voided = successes.at(-1);
  return voided ? { kind: "voided", row: voided } : { kind: "none" };
}

function isSuccess(row: HistoryRow): row is HistoryRow & { transId: string } {
  return row.transId !== undefined && ["A", "C", "S", "V"].includes(row.state);
}

/** Planned, and to be reversed by the bank itself. */
const UNDECIDED: ReadonlySet<HistoryRow["state"]> = new Set(["PN", "R"]);
