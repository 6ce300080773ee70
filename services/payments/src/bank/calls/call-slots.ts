import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/** The slots of an account above `floor` and up to `max`, by their numbers from 1. */
export type SlotRange = { accountId: string; floor: number; max: number };

/** The calls of one minute to each account, for all processes together. */
export type CallSlots = {
  /** @returns the numbers of `count` slots that are ours for a minute; none where fewer are free. */
  take(range: SlotRange, count: number): Promise<number[]>;
  /** Frees slots of which no call was made. */
  giveBack(accountId: string, slots: readonly number[]): Promise<void>;
  /** The milliseconds until the next one is free. */
  nextInMs(range: SlotRange): Promise<number>;
};

/**
 * Slots in the database: a row for each call that an account may make in a minute, which is free again a minute after
 * it was taken, by the database's clock. So in any span of a minute no more calls begin than there are rows, however
 * many processes make them. Two processes that look at the same moment lock different rows.
 */
export function createCallSlots(db: Kysely<PaymentsDatabase>): CallSlots {
  const made = new Map<string, number>();

  const make = async ({ accountId, max }: SlotRange) => {
    if ((made.get(accountId) ?? 0) >= max) return;
    await sql`
      insert into acquirer_call_slot (account_id, slot)
      select ${accountId}::uuid, slot from generate_series(1, ${max}::integer) slot
      on conflict do nothing`.execute(db);
    made.set(accountId, max);
  };
  const giveBack = async (accountId: string, slots: readonly number[]) => {
    if (slots.length === 0) return;
    await db
      .updateTable("acquirer_call_slot")
      .set({ taken_at: sql<Date>`'-infinity'` })
      .where("account_id", "=", accountId)
      .where("slot", "in", slots)
      .execute();
  };
  return {
    async take(range, count) {
      await make(range);
      const { accountId, floor, max } = range;
      const { rows } = await sql<{ slot: number }>`
        update acquirer_call_slot set taken_at = clock_timestamp()
        where account_id = ${accountId} and slot in (
          select slot from acquirer_call_slot
          where account_id = ${accountId} and slot > ${floor} and slot <= ${max}
            and taken_at <= clock_timestamp() - interval '60 s'
          order by taken_at limit ${count} for update skip locked)
        returning slot`.execute(db);
      const slots = rows.map(({ slot }) => slot);
      if (slots.length === count) return slots;
      await giveBack(accountId, slots);
      return [];
    },
    giveBack,
    async nextInMs({ accountId, floor, max }) {
      const { rows } = await sql<{ in_ms: number | null }>`
        select extract(epoch from min(taken_at) + interval '60 s' - clock_timestamp())::float8 * 1000 as in_ms
        from acquirer_call_slot
        where account_id = ${accountId} and slot > ${floor} and slot <= ${max} and taken_at > '-infinity'`.execute(
        db,
      );
      return Math.max(0, rows[0]?.in_ms ?? 0);
    },
  };
}
