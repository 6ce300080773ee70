import type { ColumnType, Generated } from "kysely";
import type { LineVerdict } from "../match/judge-fact.ts";
import type { LineKind } from "./settlement-line.ts";

export type AccountTable = {
  account_id: string;
  time_zone: Generated<string>;
  settlement_days: Generated<number>;
  fee_basis_points: number | null;
  fee_fixed_minor: Generated<bigint>;
  refunds_fee: Generated<boolean>;
  compared_since: ColumnType<string | null, string | null, string | null>;
};

export type ImportState = "READING" | "TAKEN" | "REFUSED";

export type ImportTable = {
  import_id: Generated<string>;
  account_id: string;
  mapping: string;
  mapping_version: number | null;
  file_name: string;
  imported_by: string;
  sha256: Buffer | null;
  bytes: Generated<bigint>;
  state: ImportState;
  reason: string | null;
  detail: string | null;
  lines: Generated<number>;
  faults: Generated<number>;
  matched_at: Date | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
  lease_token: string | null;
  lease_until: Date | null;
};

export type LineTable = {
  import_id: string;
  line_no: number;
  account_id: string;
  kind: LineKind;
  reference: string | null;
  reference_id: string | null;
  bank_reference: string | null;
  auth_code: string | null;
  masked_pan: string | null;
  item: string | null;
  installment: number | null;
  installments: number | null;
  gross_minor: bigint;
  fee_minor: bigint;
  net_minor: bigint;
  currency: string;
  /** ISO 8601 without a zone; read as text. */
  transacted_at: string | null;
  settles_on: string | null;
  payout_id: string | null;
  /** The cells that could not be read and were left out. */
  note: string | null;
  fact_id: string | null;
  /** The merchant of the line's fact. */
  merchant_id: string | null;
  verdict: LineVerdict | null;
};

export type LineFaultTable = { import_id: string; line_no: number; reason: string };
