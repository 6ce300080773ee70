import type { Generated } from "kysely";

/** The kind of a call. `reverse` and `enrol` are not movements: they reverse one or lead to one. */
export type CallKind = "enrol" | "authorize" | "sale" | "capture" | "void" | "release" | "refund" | "reverse";

/** The answer to a call, in the acquirer port's terms; `unknown` means none. */
export type CallOutcome =
  | "enrolled"
  | "approved"
  | "declined"
  | "expired"
  | "reversed"
  | "nothing_found"
  | "settled"
  | "refused"
  | "not_sent"
  | "unknown";

export type BankCallTable = {
  payment_id: string;
  account_id: string;
  number: number;
  sub_reference: Generated<number>;
  movement_id: string | null;
  amount_minor: bigint;
  sent_at: Generated<Date>;
  currency: string;
  kind: CallKind;
  reference: string;
  names_before: string[] | null;
  answered_at: Date | null;
  outcome: CallOutcome | null;
  external_transaction_id: string | null;
  own_name: string | null;
  auth_code: string | null;
  result_code: string | null;
  result_message: string | null;
  approved_minor: bigint | null;
  approved_currency: string | null;
  heard_at: Date | null;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type CallTables = {
  bank_call: BankCallTable;
};
