import { randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { ALIVE_HOLDERS, HOLD, HOLDERS_OF_LEASES, RELEASE_HELD_BY } from "./lease-holder-statements.ts";

/**
 * Who has leased a delivery: the first half of its lease token, `xxxxxxxx-xxxx-8xxx`, drawn anew by each process. The
 * version says that it names somebody; a token of a version before is of version 4 and names nobody.
 */
export function newLeaseHolder(): string {
  return `${randomUUID().slice(0, 14)}8${randomUUID().slice(15, 18)}`;
}

/** The setting of a connection that has its leases name the holder. */
export const leasesOf = (holder: string) => ({ "holdfast.lease_holder": holder });

export type LeaseWatch = {
  /** Looks who is alive. @returns how many leases of those that are gone were released. */
  look(): Promise<number>;
  /** Ends the holder's own session. */
  stop(): Promise<void>;
};

/**
 * Frees what a dispatcher that died had leased, without waiting for the leases to end. Each holds an advisory lock under
 * its name, which the database frees with its session; one that is missing in three looks is gone. It may be alive after
 * all, with its connection broken, or behind a pooler that shares sessions: then a webhook may come twice, and its results
 * count as ever, by their tokens. So only what it had leased until it was missing is freed: one that has its connection again
 * leases at once, and takes its lock a moment later. A process that hangs keeps its lock, and its leases end by their time.
 *
 * @param leaseMs how long a lease lasts.
 */
export function watchLeases(pool: Pool, holder: string, { leaseMs }: { leaseMs: number }): LeaseWatch {
  let session: PoolClient | undefined;
  /** How often each that was alive, or has leases, was missing since, and when that began. */
  let missing: Map<string, Missing> | undefined;
  const inSession = async () => {
    if (session) return session;
    const client = await pool.connect();
    try {
      await client.query(HOLD, [holder]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    return (session = client);
  };
  const close = () => {
    session?.release(true);
    session = undefined;
  };
  return {
    async look() {
      try {
        const client = await inSession();
        const read = async (statement: string | { name: string; text: string }) =>
          (await client.query<{ holder: string }>(statement)).rows.map((row) => row.holder);
        const alive = await read(ALIVE_HOLDERS);
        const nowMs = performance.now();
        missing ??= new Map(
          (await read(HOLDERS_OF_LEASES)).map((each) => [each, { looks: 0, sinceMs: nowMs }]),
        );
        for (const each of missing.values()) each.looks++;
        for (const each of alive) missing.set(each, { looks: 0, sinceMs: nowMs });
        missing.delete(holder);
        let released = 0;
        for (const [each, { looks, sinceMs }] of missing) {
          if (looks === 1) missing.set(each, { looks, sinceMs: nowMs });
          if (looks < LOOKS) continue;
          // Of leases that were taken after it was missing, the end is later than this.
          const endsInMs = leaseMs - (nowMs - sinceMs);
          const { rowCount } = await client.query(RELEASE_HELD_BY, [each, endsInMs]);
          missing.delete(each);
          released += rowCount ?? 0;
        }
        return released;
      } catch (error) {
        close();
        throw error;
      }
    },
    async stop() {
      close();
    },
  };
}

type Missing = { looks: number; sinceMs: number };

const LOOKS = 3;
