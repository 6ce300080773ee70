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
  /** Those that were alive, or had leases when the process started. */
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
        const { holders: alive, read_at: now } = await readAlive(client);
        missing ??= new Map((await readHolders(client)).map((each) => [each, { looks: 0, since: now }]));
        for (const each of missing.values()) each.looks++;
        for (const each of alive) missing.set(each, { looks: 0, since: now });
        missing.delete(holder);
        let released = 0;
        for (const [each, { looks, since }] of missing) {
          if (looks === 1) missing.set(each, { looks, since: now });
          if (looks < LOOKS) continue;
          // Leases that were taken after it was missing end later than this.
          const { rowCount } = await client.query(RELEASE_HELD_BY, [each, since, leaseMs]);
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

/** In how many looks one was missing, and since when, by the database's clock. */
type Missing = { looks: number; since: string };

const LOOKS = 3;

async function readAlive(client: PoolClient) {
  const { rows } = await client.query<{ holders: string[]; read_at: string }>(ALIVE_HOLDERS);
  return rows[0]!;
}

async function readHolders(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(HOLDERS_OF_LEASES);
  return rows.map(({ holder }) => holder);
}
