import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_INBOX_PREFIX } from "@holdfast/contracts";
import { connectBus, type Bus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Bench } from "./bench.ts";

/** Requests to database and bus since a moment. `messages` are counted once each, by their purpose. */
export type WorkCounts = {
  seconds: number;
  commits: number;
  fsyncs: number;
  walBytes: number;
  messages: Record<string, number>;
};

/**
 * Counts while `work` runs. It takes 21 seconds longer, since the database's connections report their
 * statements up to ten seconds later. It receives every message, so CPU time has to be measured in another
 * run.
 */
export async function countWork<Result>(
  { sandbox }: Bench,
  work: () => Promise<Result>,
): Promise<{ result: Result; counts: WorkCounts }> {
  const bus = await connectBus({ url: sandbox.natsUrl, name: "bench counts" });
  try {
    await delay(TOLD_WITHIN_MS);
    const messages = countMessages(bus);
    const before = await readCounters(sandbox.databaseUrl);
    const result = await work();
    await delay(TOLD_WITHIN_MS);
    const after = await readCounters(sandbox.databaseUrl);
    const counts = {
      seconds: after.at - before.at,
      commits: after.commits - before.commits,
      fsyncs: after.fsyncs - before.fsyncs,
      walBytes: after.walBytes - before.walBytes,
      messages: Object.fromEntries(messages),
    };
    return { result, counts };
  } finally {
    await bus.close(1_000);
  }
}

/** PGSTAT_IDLE_INTERVAL, after which an idle connection reports its last statements, and some more. */
const TOLD_WITHIN_MS = 10_500;

/** Subtracts the counts of an idle system in that time. @returns what one of `units` adds. */
export function perUnit(counts: WorkCounts, idle: WorkCounts, units: number): WorkCounts {
  const each = (counted: number, inIdle: number) =>
    Math.max(0, counted - (inIdle / idle.seconds) * counts.seconds) / Math.max(1, units);
  return {
    seconds: counts.seconds,
    commits: each(counts.commits, idle.commits),
    fsyncs: each(counts.fsyncs, idle.fsyncs),
    walBytes: each(counts.walBytes, idle.walBytes),
    messages: Object.fromEntries(
      Object.entries(counts.messages).map(([kind, count]) => [kind, each(count, idle.messages[kind] ?? 0)]),
    ),
  };
}

export function describeCounts({ commits, fsyncs, walBytes, messages }: WorkCounts): string {
  const all = Object.values(messages).reduce((total, count) => total + count, 0);
  const kinds = Object.entries(messages)
    .filter(([, count]) => count >= 0.005)
    .map(([kind, count]) => `${kind} ${count.toFixed(2)}`);
  return (
    `commits ${commits.toFixed(2)}, fsyncs ${fsyncs.toFixed(2)}, WAL ${walBytes.toFixed(0)} B, ` +
    `messages ${all.toFixed(2)} (${kinds.join(", ")})`
  );
}

/**
 * The database's commits, the syncs of its log and the bytes written to it; `at` is in seconds of its own
 * clock.
 */
type Counters = { at: number; commits: number; fsyncs: number; walBytes: number };

async function readCounters(url: string): Promise<Counters> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<Counters>(
      `select extract(epoch from clock_timestamp())::float8 as at,
         (select sum(xact_commit) from pg_stat_database)::float8 as commits,
         (select sum(fsyncs) from pg_stat_io where object = 'wal')::float8 as fsyncs,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes"`,
    );
    return rows[0]!;
  });
}

function countMessages({ nats }: Bus): Map<string, number> {
  const counts = new Map<string, number>();
  nats.subscribe(">", {
    callback(error, { subject, reply = "" }) {
      if (error) throw error;
      // The server publishes its own events only because this test subscribes to everything.
      if (subject.startsWith("$JS.EVENT.")) return;
      const kind = kindOf(subject, reply);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
  });
  return counts;
}

function kindOf(subject: string, reply: string): string {
  if (subject.startsWith("$JS.ACK.")) return "acknowledgements";
  if (subject.startsWith("$JS.API.")) return "pulls and questions";
  if (reply.startsWith("$JS.ACK.")) return "from the stream";
  if (subject.startsWith("events.")) return "events";
  return subject.startsWith(DEFAULT_INBOX_PREFIX) ? "answers" : "commands";
}
