import { refuseMissingKeys, type RingInUse } from "@holdfast/postgres";
import { startPeriodicTask, type KeyRing, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import type { Config } from "../../config.ts";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * The ring to work with, once it is certain that no key is missing, and the task that notes its active key.
 *
 * @throws KeyNeededError
 */
export async function startFingerprints(
  db: Kysely<PaymentsDatabase>,
  config: Config,
  log: Logger,
): Promise<{ ring: KeyRing; keyRecorder: PeriodicTask }> {
  const {
    PAN_FINGERPRINT_KEYS: ring,
    KEYS_ABANDONED: abandoned,
    IDEMPOTENCY_RETENTION: retentionMs,
  } = config;
  await refuseMissingKeys(db, fingerprintKeysInUse(ring, retentionMs), { abandoned, log });
  const round = () => recordKey(db, ring);
  return {
    ring,
    keyRecorder: startPeriodicTask("note fingerprint key", { intervalMs: RECORD_INTERVAL_MS, round, log }),
  };
}

/** The key in use is noted this often. */
const RECORD_INTERVAL_MS = 600_000;

/**
 * The ring of the card fingerprints, and what still needs each key. A fingerprint cannot be made again without the card
 * number, so an older key stays until everything that was made under it is too old to be compared: Idempotency-Keys after
 * their retention, the counters of card rules after a day.
 */
export function fingerprintKeysInUse(ring: KeyRing, retentionMs: number): RingInUse<PaymentsDatabase> {
  return {
    setting: "PAN_FINGERPRINT_KEYS",
    ring,
    rowsAre: "Idempotency-Keys and counters of cards",
    rows: (db) => countFingerprints(db, retentionMs),
  };
}

async function countFingerprints(
  db: Kysely<PaymentsDatabase>,
  retentionMs: number,
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ key_id: string; count: string | bigint }>`
    select key_id,
      (select count(*) from (
        select from idempotency_key
        where created_at between used.first_used_at - ${NOTED_LATE}::interval and used.last_used_at + ${NOTED_LATE}::interval
          and created_at > now() - ${retentionMs} * interval '1 millisecond'
        limit ${COUNTED_MAX}) as keys)
      + (select count(*) from (
        select from rule_counter
        where kind = 'CARD' and expires_at > now()
          and used.last_used_at > now() - interval '1 day' - ${NOTED_LATE}::interval
        limit ${COUNTED_MAX}) as counters) as count
    from pan_fingerprint_key as used`.execute(db);
  return new Map(
    rows.map(({ key_id, count }) => [key_id, BigInt(count)] as const).filter(([, count]) => count > 0n),
  );
}

/** A key may have been in use this long after it was noted last: twice the interval between two notes. */
const NOTED_LATE = "20 minutes";
/** The count that is enough to know that a key is needed, however much is stored. */
const COUNTED_MAX = 10_000;

/** Notes that the active key makes fingerprints now. */
async function recordKey(
  db: Kysely<PaymentsDatabase>,
  { activeId }: Pick<KeyRing, "activeId">,
): Promise<void> {
  await db
    .insertInto("pan_fingerprint_key")
    .values({ key_id: activeId })
    .onConflict((known) => known.column("key_id").doUpdateSet({ last_used_at: sql<Date>`now()` }))
    .execute();
}
