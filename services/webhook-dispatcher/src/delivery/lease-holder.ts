import { randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { ALIVE_HOLDERS, HOLDERS_OF_LEASES, RELEASE_HELD_BY } from "./lease-holder-statements.ts";
import { holdSession } from "./lease-session.ts";

/**
 * Names the holder of a delivery's lease: the first half of its lease token, `xxxxxxxx-xxxx-8xxx`, generated
 * by each process. The version distinguishes the locks under these names from other locks (`ALIVE_HOLDERS`).
 */
export function newLeaseHolder(): string {
  return `${randomUUID().slice(0, 14)}8${randomUUID().slice(15, 18)}`;
}

/** The setting of a connection that has its leases name the holder. */
export const leasesOf = (holder: string) => ({ "holdfast.lease_holder": holder });

export type LeaseWatch = {
  /** Checks which holders are alive. @returns the number of released leases of dead holders. */
  look(): Promise<number>;
  /**
   * The milliseconds until the next check. It comes soon while any holder's session is missing, our own
   * included.
   */
  untilNextLook: () => number;
  /** Ends the holder's own session. */
  stop(): Promise<void>;
};

/**
 * Releases the leases of dispatchers that died, without waiting for the leases to end. Each dispatcher holds
 * an advisory lock under its name, which the database releases with its session. A dispatcher whose lock is
 * missing in three checks counts as dead. It may still be alive, with a broken connection or behind a pooler
 * that shares sessions: then a webhook may be sent twice, and its results still count by their tokens. Only
 * leases from before the lock was missing are released, since a reconnected dispatcher leases immediately and
 * takes its lock a moment later. A process that hangs keeps its lock, and its leases end by their time.
 *
 * Checks follow each other quickly only while a holder is missing. A dispatcher whose session breaks takes
 * its lock again immediately. If all have lost theirs in a database outage, the first one back waits longer
 * for the others.
 *
 * @param leaseMs how long a lease lasts.
 */
export function watchLeases(pool: Pool, holder: string, { leaseMs }: { leaseMs: number }): LeaseWatch {
  /** The holders that were alive, or had leases when this process started. */
  let missing: Map<string, Missing> | undefined;
  const session = holdSession(pool, holder, {
    // Our session broke, so the other holders may have lost theirs, too.
    onAgain: () => missing?.forEach((each) => (each.looks = Math.min(each.looks, -LOOKS))),
  });
  return {
    async look() {
      const client = await session.take();
      try {
        const { holders: alive, read_at: now } = await readAlive(client);
        // A process that starts looks twice immediately.
        missing ??= new Map((await readHolders(client)).map((each) => [each, { looks: -1, since: now }]));
        for (const each of missing.values()) if (++each.looks <= 1) each.since = now;
        for (const each of alive) missing.set(each, { looks: 0, since: now });
        missing.delete(holder);
        let released = 0;
        for (const [each, { looks, since }] of missing) {
          if (looks < LOOKS) continue;
          // Leases that were taken after the lock was missing end later than this.
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
      if (missing === undefined || !session.isHeld()) return LOOK_AGAIN_MS;
      if (missing.values().some(({ looks }) => looks !== 0)) return LOOK_AGAIN_MS;
      return missing.size === 0 ? LOOK_ALONE_MS : LOOK_EVERY_MS;
    },
    stop: () => session.stop(),
  };
}

/**
 * The number of checks in which a holder was missing, and since when, by the database's clock. A negative
 * number says how many further checks do not count yet.
 */
type Missing = { looks: number; since: string };

const LOOKS = 3;
const LOOK_EVERY_MS = 1_500;
const LOOK_AGAIN_MS = 500;
/**
 * The interval while no other holder is known. A holder that starts and dies before the next check loses its
 * leases by their time, which is as soon.
 */
const LOOK_ALONE_MS = 30_000;

async function readAlive(client: PoolClient) {
  const { rows } = await client.query<{ holders: string[]; read_at: string }>(ALIVE_HOLDERS);
  return rows[0]!;
}

async function readHolders(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(HOLDERS_OF_LEASES);
  return rows.map(({ holder }) => holder);
}
