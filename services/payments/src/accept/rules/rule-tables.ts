import type { Generated } from "kysely";

export type RuleCounterTable = {
  merchant_id: string;
  kind: "CARD" | "IP";
  subject: string;
  attempts: Date[];
  granted: number;
  attempts_max: number;
  window_seconds: number;
  expires_at: Date;
};

export type RuleAttemptTable = { merchant_id: string; attempted_at: Generated<Date>; payment_id: string };

/** This folder's part of the schema; `database.ts` composes all parts. */
export type RuleTables = {
  rule_counter: RuleCounterTable;
  rule_attempt: RuleAttemptTable;
};
