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
  payout_days: Generated<number>;
  compared_since: ColumnType<string | null, string | null, string | null>;
  payouts_since: ColumnType<string | null, string | null, string | null>;
};

/** A merchant of whom payments were sent to the account. */
export type MerchantAccountTable = { account_id: string; merchant_id: string };

export type ImportState = "READING" | "PROPOSED" | "TAKEN" | "REFUSED";

export type ImportTable = {
  import_id: Generated<string>;
  account_id: string;
  mapping: string;
  mapping_version: number | null;
  file_name: string;
  imported_by: string;
  confirmed_by: string | null;
  /** True if one person is enough: whoever sent it may confirm it. */
  sender_confirms: Generated<boolean>;
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
  /** The merchant of the payment that the line names, also where it reports no fact. */
  merchant_id: string | null;
  verdict: LineVerdict | null;
  /** A person's decision about a line that differs, and the difference that it closed. */
  decision: Generated<Decision | null>;
  decided_in: Generated<string | null>;
};

/** `ACCEPT_BANK`: the bank's amount counts, as an adjustment. `NOT_OURS`: it does not count. */
export type Decision = "ACCEPT_BANK" | "NOT_OURS";

/** A line that could not be read, with its readable parts. */
export type LineFaultTable = {
  import_id: string;
  line_no: number;
  reason: string;
  kind: LineKind | null;
  reference_id: string | null;
  /** The amount without its sign, and with it where the sign is known. */
  stake_minor: bigint | null;
  gross_minor: bigint | null;
  currency: string | null;
  day: string | null;
  payout_id: string | null;
};
