import type { Generated } from "kysely";
import type { Decision } from "../import/import-table.ts";
import type { PayoutVerdict } from "../payout/judge-payout.ts";
import type { FactVerdict, LineVerdict } from "./judge-fact.ts";

export type DifferenceClass =
  | Exclude<FactVerdict, "MATCHED">
  | Exclude<LineVerdict, "MATCHED" | "NOT_COMPARED">
  | "MISSING_AT_BANK"
  | "UNREADABLE"
  | Exclude<PayoutVerdict, "MATCHED">;
export type DifferenceState = "OPEN" | "PROPOSED" | "CLOSED" | "RESOLVED";

export type DifferenceTable = {
  difference_id: Generated<string>;
  account_id: string;
  class: DifferenceClass;
  fact_id: string | null;
  payout_id: string | null;
  import_id: string | null;
  line_no: number | null;
  /** Null if the amount of an unreadable line is not known. */
  amount_minor: bigint | null;
  currency: string | null;
  /** The amounts of both sides, seen from the merchant; the bank's may be in another currency. */
  ours_minor: bigint | null;
  theirs_minor: bigint | null;
  theirs_currency: string | null;
  detail: string;
  /**
   * The merchant whose statements of these days wait for it. If it is null, an unreadable line concerns all
   * merchants of the account.
   */
  merchant_id: string | null;
  first_day: string | null;
  last_day: string | null;
  state: Generated<DifferenceState>;
  assignee: string | null;
  proposed_by: string | null;
  proposed_at: Date | null;
  closed_by: string | null;
  reason: string | null;
  decision: Decision | null;
  /** The amount that counts in this merchant's statement of the day since the bank's was accepted. */
  accepted_minor: bigint | null;
  accepted_currency: string | null;
  accepted_merchant_id: string | null;
  accepted_day: string | null;
  opened_at: Generated<Date>;
  ended_at: Date | null;
};

export type DifferenceNoteTable = { difference_id: string; at: Generated<Date>; actor: string; note: string };
