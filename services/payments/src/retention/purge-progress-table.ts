/** The progress of a purge that goes through old rows once, in the order of time. */
export type PurgeProgressTable = { task: string; through_at: Date; through_id: string };

/** The room's part of the schema; `database.ts` composes them. */
export type PurgeProgressTables = {
  purge_progress: PurgeProgressTable;
};
