import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * Empties the challenges of sessions that have ended, in batches. Those of completed payments are empty already.
 * @returns how many were emptied.
 */
export async function forgetChallenges(db: Kysely<PaymentsDatabase>): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      with ended as (
        select payment_id from three_ds_session
        where challenge is not null and expires_at <= now()
        limit ${BATCH_MAX} for update skip locked
      )
      update three_ds_session as session set challenge = null
      from ended where session.payment_id = ended.payment_id`.execute(db);
    forgotten += Number(numAffectedRows);
    if (numAffectedRows < BATCH_MAX) return forgotten;
  }
}

const BATCH_MAX = 1_000;
