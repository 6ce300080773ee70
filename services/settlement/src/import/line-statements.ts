import { unnested } from "@holdfast/postgres";
import type { LineFaultTable, LineTable } from "./import-table.ts";

/** A line as it is read from a file. */
export type GivenLine = Omit<
  LineTable,
  "import_id" | "account_id" | "fact_id" | "merchant_id" | "verdict" | "decision" | "decided_in"
>;

/** Columns of the statement's arrays, in the order of its parameters after `$1` import and `$2` lease. */
export const LINE_COLUMNS = [
  ["line_no", "int"],
  ["kind", "text"],
  ["reference", "text"],
  ["reference_id", "uuid"],
  ["bank_reference", "text"],
  ["auth_code", "text"],
  ["masked_pan", "text"],
  ["item", "text"],
  ["installment", "smallint"],
  ["installments", "smallint"],
  ["gross_minor", "bigint"],
  ["fee_minor", "bigint"],
  ["net_minor", "bigint"],
  ["currency", "text"],
  ["transacted_at", "timestamp"],
  ["settles_on", "date"],
  ["payout_id", "text"],
  ["note", "text"],
] as const satisfies [keyof GivenLine, string][];

const NAMES = LINE_COLUMNS.map(([column]) => column).join(", ");

/** Adds lines under the lease of the process that reads the file; without it, none. */
export const ADD_LINES = {
  name: "add-lines",
  text: `
  insert into line (import_id, account_id, ${NAMES})
  select import_id, import.account_id, ${LINE_COLUMNS.map(([column]) => `given.${column}`).join(", ")}
  from ${unnested(LINE_COLUMNS, 3)}, import
  where import_id = $1 and lease_token = $2 and state = 'READING'`,
};

/** Columns of the arrays of faults, in the order of the statement's parameters. */
export const FAULT_COLUMNS = [
  ["line_no", "int"],
  ["reason", "text"],
  ["kind", "text"],
  ["reference_id", "uuid"],
  ["stake_minor", "bigint"],
  ["gross_minor", "bigint"],
  ["currency", "text"],
  ["day", "date"],
  ["payout_id", "text"],
] as const satisfies [keyof LineFaultTable, string][];

const FAULT_NAMES = FAULT_COLUMNS.map(([column]) => column).join(", ");

export const ADD_FAULTS = {
  name: "add-line-faults",
  text: `
  insert into line_fault (import_id, ${FAULT_NAMES})
  select import_id, ${FAULT_COLUMNS.map(([column]) => `given.${column}`).join(", ")}
  from ${unnested(FAULT_COLUMNS, 3)}, import
  where import_id = $1 and lease_token = $2 and state = 'READING'`,
};
