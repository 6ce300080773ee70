import type { Generated } from "kysely";

export type PaymentResolutionTable = {
  payment_id: string;
  outcome: "SUCCESS" | "FAILED";
  evidence: string;
  proposed_by: string;
  proposed_at: Generated<Date>;
};

/** The room's part of the schema; `database.ts` composes them. */
export type ResolutionTables = {
  payment_resolution: PaymentResolutionTable;
};
