import type { Generated } from "kysely";
import type { ChargebackKind, ChargebackOutcome, ChargebackStatus } from "./chargeback.ts";

export type ChargebackTable = {
  chargeback_id: string;
  payment_id: string;
  merchant_id: string;
  kind: Generated<ChargebackKind>;
  status: Generated<ChargebackStatus>;
  amount_minor: bigint;
  currency: string;
  counted_minor: bigint;
  excess_minor: bigint;
  reversed_minor: Generated<bigint>;
  reason_code: string | null;
  bank_reference: string | null;
  respond_by: Date | null;
  opened_by: string | null;
  proposed_outcome: ChargebackOutcome | null;
  proposed_by: string | null;
  proposed_at: Date | null;
  outcome_reason: string | null;
  decided_by: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
};

export type ChargebackLineTable = {
  line_id: string;
  kind: ChargebackKind | "CHARGEBACK_REVERSAL";
  payment_id: string;
  chargeback_id: string | null;
  amount_minor: bigint;
  currency: string;
  bank_reference: string | null;
  recorded_at: Generated<Date>;
};

export type ChargebackEvidenceTable = {
  evidence_id: string;
  chargeback_id: string;
  file_name: string;
  bytes: number;
  sha256: Buffer;
  added_by: string;
  created_at: Generated<Date>;
  sealed_at: Date | null;
};

export type ChargebackEvidencePartTable = {
  evidence_id: string;
  part: number;
  /** The key of `FILE_KEYS` that the content is sealed under. */
  key_id: string;
  content: Buffer;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type ChargebackTables = {
  chargeback: ChargebackTable;
  chargeback_line: ChargebackLineTable;
  chargeback_evidence: ChargebackEvidenceTable;
  chargeback_evidence_part: ChargebackEvidencePartTable;
};
