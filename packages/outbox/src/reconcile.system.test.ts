import { findMissingEvents } from "@holdfast/contracts";
import { handler, serve } from "@holdfast/messaging";
import { eventually, measurePlan } from "@holdfast/tests/support";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startOutboxHarness, type OutboxHarness } from "../test/outbox-harness.ts";
import { createHeldLock } from "./held-lock.ts";
import { createOutboxPool } from "./outbox-pool.ts";
import { confirm, measureBacklog, MEASURE_BACKLOG } from "./outbox-statements.ts";
import { DispatcherSilentError, reconcile, reconcileLatest, startReconciliation } from "./reconcile.ts";
import { runReconcileCommand } from "./reconcile-command.ts";
import { createRelayRound } from "./relay.ts";

const DAY = 86_400_000;

let harness: OutboxHarness;
beforeEach(async () => {
  harness = await startOutboxHarness();
});
afterEach(() => harness.close());

/** A dispatcher that lacks these events. @returns the ids that it was asked about. */
async function startDispatcher({
  lacks,
  keptSince = new Date(0),
}: {
  lacks: string[];
  keptSince?: Date;
}): Promise<string[]> {
  const asked: string[] = [];
  const dispatcher = await serve(harness.bus, {
    service: "webhooks",
    permits: { external: 10, local: 10 },
    onHandled: () => {},
    handlers: [
      handler(findMissingEvents, async ({ payload }) => {
        asked.push(...payload.eventIds);
        const missing = payload.eventIds.filter((id) => lacks.includes(id));
        return { outcome: "done", result: { missing, keptSince: keptSince.toISOString() } };
      }),
    ],
  });
  onTestFinished(() => dispatcher.stop(0));
  return asked;
}

test("the comparison with the dispatcher opens what it lacks again; without its answer nothing is known", async () => {
  const [here, lost, open] = [await harness.record(), await harness.record(), await harness.record()];
  await confirm(harness.pool, [here, lost]);
  const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 1_000) };
  const { pool, bus } = harness;
  await expect(reconcile({ pool, bus, source: "payments" }, range)).rejects.toBeInstanceOf(
    DispatcherSilentError,
  );

  const asked = await startDispatcher({ lacks: [lost] });
  expect(await reconcile({ pool, bus, source: "payments" }, range)).toEqual({ compared: 2, missing: [lost] });
  expect(asked).not.toContain(open);
  expect((await harness.rows()).find(({ event_id }) => event_id === lost)).toMatchObject({
    confirmed: false,
  });
  const { settings, log } = harness;
  await createRelayRound({ pool, bus, source: "payments", settings: settings(), log })();
  expect((await harness.published()).map(({ event }) => event.eventId)).toContain(lost);
  const earlier = { from: new Date(0), to: new Date(Date.now() - 30_000) };
  expect(await reconcile({ pool, bus, source: "payments" }, earlier)).toEqual({ compared: 0, missing: [] });
});

/** Runs the command as an operator does. */
async function runCommand(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: "", err: "" };
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean((written.out += text)));
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((written.err += text)));
  try {
    const { databaseUrl: DATABASE_URL, natsUrl: NATS_URL } = harness;
    // The servers of a test run may be containers, or of another machine.
    const env = { DATABASE_URL, NATS_URL, ALLOW_PLAINTEXT: "postgres,nats" };
    await runReconcileCommand("payments", args, env);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.exitCode = undefined;
    out.mockRestore();
    err.mockRestore();
  }
}

/** A confirmed event of so many days ago. */
async function recordConfirmed(daysAgo: number): Promise<string> {
  const eventId = uuidAt(Date.now() - daysAgo * DAY);
  await harness.record({ eventId });
  await confirm(harness.pool, [eventId]);
  return eventId;
}

function uuidAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`;
}

test("the command goes back as far as the dispatcher keeps events, and no further", async () => {
  const [old, recent] = [await recordConfirmed(100), await recordConfirmed(50)];
  const keptSince = new Date(Date.now() - 89 * DAY);
  const asked = await startDispatcher({ lacks: [old, recent], keptSince });
  expect(await runCommand()).toEqual({
    code: 1,
    out: `payments: 1 confirmed events since ${keptSince.toISOString()} compared, 1 missing\n${recent}\n`,
    err: "",
  });
  expect(asked).toEqual([recent]);
  expect(await harness.rows()).toMatchObject([{ confirmed: true }, { confirmed: false }]);
});

test("a time before what the dispatcher keeps is refused before anything is opened again", async () => {
  const [old, recent] = [await recordConfirmed(100), await recordConfirmed(50)];
  const keptSince = new Date(Date.now() - 89 * DAY);
  const asked = await startDispatcher({ lacks: [old, recent], keptSince });
  const refused = await runCommand("--since", new Date(Date.now() - 101 * DAY).toISOString());
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain(`the dispatcher keeps events since ${keptSince.toISOString()} only`);
  expect(asked).toEqual([]);
  expect(await harness.rows()).toMatchObject([{ confirmed: true }, { confirmed: true }]);

  expect(await runCommand("--since", "yesterday")).toMatchObject({
    code: 2,
    err: "payments: --since must be a time such as 2026-11-20T00:00:00Z\n",
  });
});

/** The pool of a process of its own. */
function startProcess(): Pool {
  const pool = createOutboxPool({ url: harness.databaseUrl, applicationName: "payments", log: harness.log });
  onTestFinished(() => pool.end());
  return pool;
}

test("of two processes one compares, and the other takes over when it is gone", async () => {
  const lost = await recordConfirmed(0);
  // The id's time is a moment ago.
  const now = Date.now() + 60_000;
  const asked = await startDispatcher({ lacks: [] });
  const [first, second] = [startProcess(), startProcess()].map((pool) => {
    const lock = createHeldLock(pool, { name: "reconcile", idleMaxMs: 60_000 });
    onTestFinished(() => lock.release());
    const compare = () =>
      reconcileLatest({ bus: harness.bus, source: "payments" }, { lock, intervalMs: 60_000, now });
    return { lock, compare };
  });
  expect(await first!.compare()).toEqual({ compared: 1, missing: [] });
  expect(await second!.compare()).toBeUndefined();
  expect(await first!.compare()).toEqual({ compared: 1, missing: [] });
  expect(await second!.compare()).toBeUndefined();
  expect(asked).toEqual([lost, lost]);

  // The lock's session ends, as when the process dies or has been idle for too long. Sessions of other
  // databases belong to other tests.
  await harness.superuser.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  await eventually(async () => expect(await second!.compare()).toEqual({ compared: 1, missing: [] }));
  expect(await first!.compare()).toBeUndefined();
});

test("a session that is idle for too long loses the lock", async () => {
  const [first, second] = [startProcess(), startProcess()].map((pool) =>
    createHeldLock(pool, { name: "reconcile", idleMaxMs: 200 }),
  );
  onTestFinished(() => [first, second].forEach((lock) => lock!.release()));
  expect(await first!.hold()).toBeDefined();
  await eventually(async () => expect(await second!.hold()).toBeDefined());
});

test("a stop gives the lock to the next process, and the connection back", async () => {
  // A session that another test gave back may take a moment to end, and the next round comes in a minute.
  await eventually(async () =>
    expect(
      (
        await harness.superuser.query(
          `select from pg_locks
           where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rowCount,
    ).toBe(0),
  );
  const asked = await startDispatcher({ lacks: [] });
  await recordConfirmed(0.001);
  const { bus, log } = harness;
  const settings = harness.settings({ OUTBOX_RECONCILE_INTERVAL: 60_000 });
  const one = startProcess();
  const tasks = startReconciliation({ pool: one, bus, source: "payments", settings, log });
  await eventually(() => expect(asked).toHaveLength(1));
  await Promise.all(tasks.map((task) => task.stop(1_000)));
  const lock = createHeldLock(startProcess(), { name: "reconcile", idleMaxMs: 60_000 });
  onTestFinished(() => lock.release());
  await eventually(async () => expect(await lock.hold()).toBeDefined());
  await eventually(() => expect(one.totalCount).toBe(one.idleCount));

  // A round that began before the stop and continues after it keeps no connection either.
  lock.release();
  expect(await lock.hold()).toBeUndefined();
});

test("the backlog is measured from what is open, however many events were ever confirmed", async () => {
  await harness.superuser.query(
    `insert into payments.outbox (event_type, payment_id, merchant_id, status, body, confirmed_at, publish_attempts)
     select 'payment.status_changed', gen_random_uuid(), gen_random_uuid(), 'SUCCESS', '{}', now(), 1
     from generate_series(1, 20000)`,
  );
  const open = [await harness.record(), await harness.record(), await harness.record()];
  await harness.superuser.query("update payments.outbox set publish_attempts = 1 where event_id = $1", [
    open[0],
  ]);
  await harness.superuser.query("vacuum (analyze) payments.outbox");
  const pool = startProcess();
  expect(await measureBacklog(pool)).toMatchObject({ unconfirmed: 3 });
  const client = await pool.connect();
  const { rows, pages } = await measurePlan(client, { text: MEASURE_BACKLOG });
  client.release();
  expect(rows).toBeLessThan(50);
  expect(pages).toBeLessThan(50);
});
