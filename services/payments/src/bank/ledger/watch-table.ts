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

/** The room's part of the schema; `database.ts` composes them. */
export type WatchTables = {
  payment_watch: PaymentWatchTable;
};
