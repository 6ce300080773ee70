import type { ColumnType, Generated } from "kysely";

/** A day of a merchant in one currency, of which more is recorded than its lines. */
export type StatementTable = {
  statement_id: Generated<string>;
  merchant_id: string;
  currency: string;
  /** `2026-11-20` */
  day: string;
  /** The latest; 0 until the statement is complete for the first time. */
  revision: Generated<number>;
  /** True if it is checked again when the bank has reported everything up to the day. */
  awaits: Generated<boolean>;
};

/** The amounts of a statement when it was complete. Minor units, seen from the merchant. A row never changes. */
export type StatementRevisionTable = {
  statement_id: string;
  revision: number;
  sales_minor: bigint;
  refunds_minor: bigint;
  chargebacks_minor: bigint;
  adjustments_minor: bigint;
  commission_minor: bigint;
  bank_fees_minor: bigint;
  lines: number;
  /** SHA-256 of the lines that it is made of. */
  digest: Buffer;
  recorded_at: ColumnType<Date, never, never>;
};

/** Possible changes of statements; the database notes each with its cause (migration 0073). */
export type StatementChangeTable = {
  change_id: Generated<string>;
  merchant_id: string;
  currency: string;
  /** Null: any day that awaits the bank. */
  day: string | null;
  not_before: Generated<Date | null>;
  look_at: Generated<Date>;
};
