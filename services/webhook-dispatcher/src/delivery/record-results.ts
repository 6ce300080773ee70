import { createNaturalBatcher, failpoint, type NaturalBatcher } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { RECORD, RECORD_COLUMNS, type AttemptRecord } from "./record-statements.ts";

/**
 * Records attempts; those that end together go into one statement. Its pool commits without waiting for the
 * disk. If a database crash loses the record of a webhook, the webhook is sent once more, which receivers
 * have to handle anyway.
 */
export function createResultRecorder(pool: Pool): NaturalBatcher<AttemptRecord, void> {
  return createNaturalBatcher<AttemptRecord, void>({
    name: "results",
    sizeMax: 100,
    flushesMax: 2,
    lingerMs: 100,
    isolates: () => false,
    async flush(records) {
      await failpoint("webhooks.in_result_batch");
      await recordResults(pool, records);
      return records.map(() => undefined);
    },
  });
}

/**
 * This may be repeated: attempts are recognized by their ids, and a record has the same effect whenever it is written.
 */
export async function recordResults(pool: Pool, records: AttemptRecord[]): Promise<void> {
  await pool.query({
    ...RECORD,
    values: RECORD_COLUMNS.map(([column]) => records.map((record) => record[column])),
  });
}
