import type { Generated } from "kysely";

export type PaymentResolutionTable = {
  payment_id: string;
  outcome: "SUCCESS" | "FAILED";
  evidence: string;
  proposed_by: string;
  proposed_at: Generated<Date>;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type ResolutionTables = {
  payment_resolution: PaymentResolutionTable;
};
