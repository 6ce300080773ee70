import type { Generated } from "kysely";

/** The times when each key made fingerprints. */
export type PanFingerprintKeyTable = {
  key_id: string;
  first_used_at: Generated<Date>;
  last_used_at: Generated<Date>;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type FingerprintKeyTables = {
  pan_fingerprint_key: PanFingerprintKeyTable;
};
