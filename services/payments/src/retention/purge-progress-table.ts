/** How far a purge has come that goes through old rows once, in the order of time. */
export type PurgeProgressTable = { task: string; through_at: Date; through_id: string };
