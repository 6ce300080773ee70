import type { Generated } from "kysely";

export type PaymentWatchTable = {
  payment_id: string;
  movement_id: string | null;
  due_at: Date;
  attempts: Generated<number>;
  sighted_at: Date | null;
  ended_at: Date | null;
  last_inquiry: string | null;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type WatchTables = {
  payment_watch: PaymentWatchTable;
};
