/** The progress of a purge that goes through old rows once, in the order of time. */
export type PurgeProgressTable = { task: string; through_at: Date; through_id: string };

/** This folder's part of the schema; `database.ts` composes all parts. */
export type PurgeProgressTables = {
  purge_progress: PurgeProgressTable;
};
