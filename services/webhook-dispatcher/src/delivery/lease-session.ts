import type { Pool, PoolClient } from "pg";
import { HOLD } from "./lease-holder-statements.ts";

export type LeaseSession = {
  /** The session with the lock. It is opened if there is none. */
  take(): Promise<PoolClient>;
  isHeld(): boolean;
  /** Closes a failed session, unless it has been replaced; the next `take` opens another. */
  drop(failed: PoolClient): void;
  /** Closes it, also one that is just being opened. */
  stop(): Promise<void>;
};

/**
 * A dispatcher's own connection, which holds the lock of its name for the dispatcher's lifetime. A broken
 * connection is replaced as soon as that is noticed or, if this fails, by the next `take`. While the lock is
 * missing, other dispatchers may count this one as dead.
 * @param onAgain is called when the lock is held again, before the new session is used.
 */
export function holdSession(pool: Pool, holder: string, { onAgain }: { onAgain: () => void }): LeaseSession {
  let held: PoolClient | undefined;
  let opening: Promise<PoolClient> | undefined;
  let wasHeld = false;
  const open = async () => {
    const client = await pool.connect();
    try {
      await client.query(HOLD, [holder]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.once("end", () => {
      if (held !== client) return;
      close();
      take().catch(() => {});
    });
    held = client;
    if (wasHeld) onAgain();
    wasHeld = true;
    return client;
  };
  const take = async () => {
    if (held) return held;
    opening ??= open().finally(() => (opening = undefined));
    return await opening;
  };
  const close = () => {
    const client = held;
    held = undefined;
    client?.release(true);
  };
  return {
    take,
    isHeld: () => held !== undefined,
    drop(failed) {
      if (held === failed) close();
    },
    async stop() {
      await opening?.catch(() => {});
      close();
    },
  };
}
