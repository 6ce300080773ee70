import { appendAudit } from "@holdfast/audit";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * Removes the fingerprints that payments got under a key. With the key and the masked number, each
 * fingerprint would reveal its card's number. It works in small transactions in the order of the payments'
 * ids, so an interrupted run is simply repeated. The audit log gets one line when all are gone.
 *
 * @returns the number of removed fingerprints.
 */
export async function forgetFingerprints(
  db: Kysely<PaymentsDatabase>,
  keyId: string,
  actor: string,
): Promise<number> {
  let forgotten = 0;
  let after = FIRST_ID;
  for (;;) {
    const { rows } = await sql<{ last: string | null; forgotten: number }>`
      with batch as (
        select payment_id, pan_fingerprint_key_id = ${keyId} and pan_fingerprint is not null as has_one
        from payment where payment_id > ${after} order by payment_id limit ${BATCH}
      ), changed as (
        update payment set pan_fingerprint = null
        from batch where payment.payment_id = batch.payment_id and batch.has_one
        returning payment.payment_id
      )
      select (select payment_id from batch order by payment_id desc limit 1) as last,
        (select count(*)::integer from changed) as forgotten`.execute(db);
    forgotten += rows[0]!.forgotten;
    if (rows[0]!.last === null) break;
    after = rows[0]!.last;
  }
  const record = { actor, action: "fingerprints.forgotten", subject: `PAN_FINGERPRINT_KEYS ${keyId}` };
  await db.transaction().execute((trx) => appendAudit(trx, { ...record, detail: { forgotten } }));
  return forgotten;
}

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const BATCH = 1_000;
