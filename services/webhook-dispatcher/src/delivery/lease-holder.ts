import { randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { ALIVE_HOLDERS, HOLDERS_OF_LEASES, RELEASE_HELD_BY } from "./lease-holder-statements.ts";
import { holdSession } from "./lease-session.ts";

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
  /** Milliseconds until the next look: it comes soon where somebody is missing, or the own session. */
  untilNextLook: () => number;
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
 * Looks follow each other soon only while somebody is missing. One whose session breaks takes its lock again at once, and
 * where all have lost theirs, because the database was away, whoever is back first waits longer for the others.
 *
 * @param leaseMs how long a lease lasts.
 */
export function watchLeases(pool: Pool, holder: string, { leaseMs }: { leaseMs: number }): LeaseWatch {
  /** Those that were alive, or had leases when the process started. */
  let missing: Map<string, Missing> | undefined;
  const session = holdSession(pool, holder, {
    // Of a session that was broken: the others may have lost theirs with it.
    onAgain: () => missing?.forEach((each) => (each.looks = Math.min(each.looks, -LOOKS))),
  });
  return {
    async look() {
      const client = await session.take();
      try {
        const { holders: alive, read_at: now } = await readAlive(client);
        // A process that starts looks twice at once.
        missing ??= new Map((await readHolders(client)).map((each) => [each, { looks: -1, since: now }]));
        for (const each of missing.values()) if (++each.looks <= 1) each.since = now;
        for (const each of alive) missing.set(each, { looks: 0, since: now });
        missing.delete(holder);
        let released = 0;
        for (const [each, { looks, since }] of missing) {
          if (looks < LOOKS) continue;
          // Leases that were taken after it was missing end later than this.
          const { rowCount } = await client.query(RELEASE_HELD_BY, [each, since, leaseMs]);
          missing.delete(each);
          released += rowCount ?? 0;
        }
        return released;
      } catch (error) {
        session.drop(client);
        throw error;
      }
    },
    untilNextLook() {
      const someoneIsMissing = missing?.values().some(({ looks }) => looks !== 0) ?? true;
      return someoneIsMissing || !session.isHeld() ? LOOK_AGAIN_MS : LOOK_EVERY_MS;
    },
    stop: () => session.stop(),
  };
}

/** In how many looks one was missing, and since when, by the database's clock; below zero, how many do not count yet. */
type Missing = { looks: number; since: string };

const LOOKS = 3;
const LOOK_EVERY_MS = 1_500;
const LOOK_AGAIN_MS = 500;

async function readAlive(client: PoolClient) {
  const { rows } = await client.query<{ holders: string[]; read_at: string }>(ALIVE_HOLDERS);
  return rows[0]!;
}

async function readHolders(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(HOLDERS_OF_LEASES);
  return rows.map(({ holder }) => holder);
}
