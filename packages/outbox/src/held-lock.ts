import type { Pool, PoolClient } from "pg";

/**
 * A lock that one process of a service keeps between the rounds of a task, so that other processes leave the
 * task alone.
 */
export type HeldLock = {
  /** Takes the lock, or makes sure that it is still held. @returns its connection; undefined when another has it. */
  hold(): Promise<PoolClient | undefined>;
  /** Closes the connection, and with it the lock, for good. */
  release(): void;
};

/**
 * The lock belongs to a session of the database: it is free when its process stops or dies. A process that hangs, or
 * whose machine is gone, loses it when the session has been idle for `idleMaxMs`.
 *
 * @param name unique within the service's schema.
 */
export function createHeldLock(
  pool: Pool,
  { name, idleMaxMs }: { name: string; idleMaxMs: number },
): HeldLock {
  let held: PoolClient | undefined;
  let released = false;
  const close = () => {
    // The session has a lock and a time-out of its own, so it must not be used for anything else.
    held?.release(true);
    held = undefined;
  };
  return {
    release() {
      released = true;
      close();
    },
    async hold() {
      if (held) {
        try {
          await held.query("select 1");
          return held;
        } catch {
          close();
        }
      }
      const client = await pool.connect();
      try {
        const { rows } = await client.query<{ locked: boolean }>(
          "select pg_try_advisory_lock(hashtext(current_schema() || '.' || $1)) as locked",
          [name],
        );
        if (!rows[0]!.locked) {
          client.release();
          return undefined;
        }
        await client.query("select set_config('idle_session_timeout', $1, false)", [String(idleMaxMs)]);
      } catch (error) {
        client.release(true);
        throw error;
      }
      held = client;
      // A stop does not wait for a round that takes too long, and the pool would wait for its connection.
      if (released) close();
      return held;
    },
  };
}
