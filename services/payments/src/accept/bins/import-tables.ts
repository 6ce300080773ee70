import type { ColumnType, Generated } from "kysely";

export type BinImportTable = {
  version: ColumnType<number, never, never>;
  ranges: number;
  file_sha256: Buffer;
  imported_at: Generated<Date>;
};

export type BinRangeTable = {
  version: number;
  digits: number;
  bin_from: number;
  bin_to: number;
  card_scheme: string;
  card_type: "CREDIT" | "DEBIT" | "PREPAID";
  card_sub_type: string | null;
  issuer: string | null;
  country: string;
  loyalty_code: string | null;
  installments_max: number;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type ImportTables = {
  bin_import: BinImportTable;
  bin_range: BinRangeTable;
};
