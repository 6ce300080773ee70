import type { CsvOptions } from "./list-filters.ts";
import type { Settings } from "./options.ts";
import { readCsv, readList } from "./read-list.ts";

/** The amount owed to you for a day in one currency, in major units. Deductions are positive. */
export type Statement = {
  merchantId: string;
  /** The day on which the bank settles, such as `2026-11-20`. */
  day: string;
  currency: string;
  salesAmount: number;
  refundsAmount: number;
  chargebacksAmount: number;
  /** Lines of the bank that differ and were accepted; negative where they are deducted. */
  adjustmentsAmount: number;
  commission: number;
  /** The bank's fees, by its file. They are not deducted from `netPayableAmount`. */
  bankFeesAmount: number;
  /** Sales and adjustments less refunds, chargebacks and commission. */
  netPayableAmount: number;
  lines: number;
  /** The number of lines without a known commission; the statement is final only without such lines. */
  unpricedLines: number;
  /** True if the bank has reported everything up to this day, and nothing of the day is open. */
  complete: boolean;
  /** The revision of `settlement.statement_ready` that has these amounts; absent if none has. */
  revision?: number;
};

/** Two days such as `2026-11-01`, both included and at most 31 apart. */
export type StatementFilter = { from: string; to: string; currency?: string | undefined };

export type Statements = {
  /** Oldest first, read page by page. @throws HoldfastError while it is read. */
  list(filter: StatementFilter): AsyncIterable<Statement>;
  /** Exports the list as CSV, in pieces of text. @throws HoldfastError `incomplete_export` among others. */
  exportCsv(filter: StatementFilter, options?: CsvOptions): AsyncIterable<string>;
};

export function createStatements(settings: Settings): Statements {
  return {
    list: (filter) => readList<Statement>(settings, "/api/statements", filter),
    exportCsv: (filter, options) => readCsv(settings, "/api/statements", filter, options),
  };
}
