import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { Reversal } from "./reversal-queries.ts";

/** The row that a reversal's sending follows, as it was read before; undefined where there was none. */
type Known = Pick<Reversal, "sends" | "last_sent_at"> | undefined;

/**
 * Commits, before a reversal is sent, that it may take effect. The payment's row is locked: two operators lease it
 * before they look, so either they see this sending, or it finds that the lease is theirs.
 * @param payment `lease_token` is null where it has ended and no process leases it.
 * @returns which sending it is, or undefined where the lease is another's or another process has sent one since.
 */
export async function recordReversalSending(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string | null },
  known: Known,
): Promise<number | undefined> {
  const { rows } = await sql<{ sends: number }>`
    with held as (
      select payment_id from payment
      where payment_id = ${payment_id} and lease_token is not distinct from ${lease_token}::uuid
      for no key update
    )
    insert into payment_reversal (payment_id, last_sent_at, sends)
    select payment_id, now(), 1 from held
    on conflict (payment_id) do update set last_sent_at = now(), sends = payment_reversal.sends + 1
      where payment_reversal.sends = ${known?.sends ?? 0}
    returning sends`.execute(db);
  return rows[0]?.sends;
}

/** Notes that a sending will take no effect later: it has been answered, or has never left. One before it still may. */
export async function recordReversalAnswer(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  { sending, known }: { sending: number; known: Known },
): Promise<void> {
  await db
    .updateTable("payment_reversal")
    .set({ last_sent_at: known?.last_sent_at ?? null })
    .where("payment_id", "=", paymentId)
    .where("sends", "=", sending)
    .execute();
}
