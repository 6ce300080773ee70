import type { Generated } from "kysely";
import type { FactVerdict, LineVerdict } from "./judge-fact.ts";

export type DifferenceClass =
  | Exclude<FactVerdict, "MATCHED">
  | Exclude<LineVerdict, "MATCHED" | "NOT_COMPARED">
  | "MISSING_AT_BANK";
export type DifferenceState = "OPEN" | "PROPOSED" | "CLOSED" | "RESOLVED";

export type DifferenceTable = {
  difference_id: Generated<string>;
  account_id: string;
  class: DifferenceClass;
  fact_id: string | null;
  import_id: string | null;
  line_no: number | null;
  amount_minor: bigint;
  currency: string;
  detail: string;
  state: Generated<DifferenceState>;
  assignee: string | null;
  proposed_by: string | null;
  closed_by: string | null;
  reason: string | null;
  opened_at: Generated<Date>;
  ended_at: Date | null;
};

export type DifferenceNoteTable = { difference_id: string; at: Generated<Date>; actor: string; note: string };
