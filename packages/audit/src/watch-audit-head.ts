import { pause, startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import { createAnchorSink } from "./anchor-sink.ts";
import type { AuditHead } from "./audit-head.ts";
import type { AuditDatabase } from "./audit-log.ts";
import { createAuditMetrics } from "./audit-metrics.ts";
import type { AuditSettings } from "./audit-settings.ts";

export type WatchAuditHeadOptions<DB extends AuditDatabase> = {
  db: Kysely<DB>;
  /** The schema that the chain is in. */
  chain: string;
  settings: AuditSettings;
  log: Logger;
  /** The time between two looks without a nudge, for entries that other replicas and the commands have appended. */
  intervalMs?: number;
};

export type AuditWatch = PeriodicTask & {
  /** Says that an entry may have been appended. The watch then looks within a second. */
  nudge(): void;
};

/**
 * Writes the head of a service's audit log to the service's own log after every change, at most once a
 * second, and to the sink if there is one. Anybody who rewrites the chain later has to rewrite these copies,
 * too.
 *
 * It also checks that the last head that it has seen is still in the chain: a rewritten chain is noticed here
 * within the interval, before the next verification.
 */
export function watchAuditHead<DB extends AuditDatabase>({
  db,
  chain,
  settings: { AUDIT_ANCHOR_URL: url, AUDIT_ANCHOR_TOKEN: token },
  log,
  intervalMs = INTERVAL_MS,
}: WatchAuditHeadOptions<DB>): AuditWatch {
  const metrics = createAuditMetrics(chain);
  const sink = url === undefined ? undefined : createAnchorSink({ url, token, log, metrics });
  const stopping = new AbortController();
  let seen: AuditHead | undefined;
  let nudged = Promise.withResolvers<void>();

  const look = async () => {
    // Entries that are appended from here on are for the next look.
    nudged = Promise.withResolvers();
    const { head, isSeenThere } = await readHead(db, chain, seen);
    if (seen && !isSeenThere) {
      metrics.rewritten();
      log.error({ head: seen }, "the audit log no longer contains this head");
    }
    const isNew = head && (head.sequence !== seen?.sequence || head.hash !== seen.hash);
    seen = head;
    if (!isNew) return;
    log.info({ head }, "audit head");
    sink?.send(head);
  };
  nudged.resolve();
  const task = startPeriodicTask("audit head", {
    intervalMs: NUDGED_MS,
    log,
    async round() {
      await Promise.race([nudged.promise, pause(Math.max(0, intervalMs - NUDGED_MS), stopping.signal)]);
      if (!stopping.signal.aborted) await look();
    },
  });

  return {
    nudge: () => nudged.resolve(),
    async stop(timeoutMs) {
      stopping.abort();
      await task.stop(timeoutMs);
      sink?.stop();
    },
  };
}

/** One statement by the primary key. What the process appends itself is looked at immediately. */
const INTERVAL_MS = 30_000;
/** The shortest time between two looks. */
const NUDGED_MS = 1_000;

/** int8 is text or bigint, depending on the connection's parser. */
type StoredHead = { sequence: string | bigint; hash: Buffer; at: Date; seen_hash: Buffer | null };

async function readHead<DB extends AuditDatabase>(
  db: Kysely<DB>,
  chain: string,
  seen: AuditHead | undefined,
): Promise<{ head: AuditHead | undefined; isSeenThere: boolean }> {
  const { rows } = await sql<StoredHead>`
    select sequence, hash, at, (select hash from audit_entry where sequence = ${seen?.sequence ?? 0}) as seen_hash
    from audit_entry order by sequence desc limit 1`.execute(db);
  const [row] = rows;
  return {
    head: row && {
      chain,
      sequence: Number(row.sequence),
      hash: row.hash.toString("hex"),
      at: row.at.toISOString(),
    },
    isSeenThere: seen !== undefined && row?.seen_hash?.toString("hex") === seen.hash,
  };
}

/** Adds a nudge after each handler or route, so that its audit entries are logged within a second. */
export function nudgeAfterEach<Each extends { handle: (...args: never[]) => Promise<unknown> }>(
  watch: Pick<AuditWatch, "nudge">,
  handlers: Each[],
): Each[] {
  return handlers.map((each) => ({
    ...each,
    handle: async (...args: never[]) => {
      try {
        return await each.handle(...args);
      } finally {
        watch.nudge();
      }
    },
  }));
}
