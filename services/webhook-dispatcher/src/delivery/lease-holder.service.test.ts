import { createTestDatabase, eventually } from "@holdfast/tests/support";
import { type ClientBase, Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { insertWaiting } from "../../test/waiting-deliveries.ts";
import { PLAN_SETTINGS } from "../plan-settings.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { RELEASE_HELD_BY } from "./lease-holder-statements.ts";
import { leasesOf, newLeaseHolder, watchLeases } from "./lease-holder.ts";

test("what a dispatcher has leased is free once its session has been missing in three looks, and not before", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [doomed, other] = [dispatcher(), dispatcher()];
  await doomed.watch.look();
  await doomed.claim();
  for (let looks = 0; looks < 5; looks++) expect(await other.watch.look()).toBe(0);
  expect(await leased()).toEqual([doomed.holder]);
  await doomed.watch.stop();
  await eventually(async () => expect((await superuser.query(HELD)).rowCount).toBe(1));
  expect(await other.watch.look()).toBe(0);
  expect(await other.watch.look()).toBe(0);
  expect(await other.watch.look()).toBe(8);
  expect(await leased()).toEqual([]);
});

test("looks follow each other soon while somebody is missing, and not otherwise", async () => {
  const { dispatcher } = await startTables();
  const [doomed, other] = [dispatcher(), dispatcher()];
  await doomed.watch.look();
  await other.watch.look();
  const calm = other.watch.untilNextLook();
  await doomed.watch.stop();
  await eventually(async () => {
    await other.watch.look();
    expect(other.watch.untilNextLook()).toBeLessThanOrEqual(calm / 2);
  });
  for (let looks = 0; looks < 3; looks++) await other.watch.look();
  // Without other holders there is nobody to look for.
  expect(other.watch.untilNextLook()).toBeGreaterThan(calm);
});

test("one whose session broke takes its lock again by itself, and its leases stay", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [broken, other] = [dispatcher(), dispatcher()];
  await broken.watch.look();
  await broken.claim();
  await other.watch.look();
  const { rows: before } = await superuser.query(
    `select pg_terminate_backend(pid), pid from (${HELD}) as held`,
  );
  await eventually(async () => {
    const { rows: after } = await superuser.query<{ pid: number }>(HELD);
    expect(after).toHaveLength(2);
    for (const { pid } of before) expect(after).not.toContainEqual({ pid });
  });
  for (let looks = 0; looks < 8; looks++) expect(await other.watch.look()).toBe(0);
  expect(await leased()).toEqual([broken.holder]);
});

test("whoever is back first after all have lost their sessions waits twice as long for the others", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [late, first] = [dispatcher(), dispatcher()];
  await late.watch.look();
  await late.claim();
  await first.watch.look();
  await late.watch.stop();
  await eventually(async () => expect((await superuser.query(HELD)).rowCount).toBe(1));
  const { rows } = await superuser.query(`select pg_terminate_backend(pid), pid from (${HELD}) as held`);
  await eventually(async () => {
    const { rows: after } = await superuser.query<{ pid: number }>(HELD);
    expect(after).toHaveLength(1);
    expect(after[0]!.pid).not.toBe(rows[0].pid);
  });
  for (let looks = 0; looks < 5; looks++) expect(await first.watch.look()).toBe(0);
  expect(await leased()).toEqual([late.holder]);
  expect(await first.watch.look()).toBe(8);
});

test("what one leases again while its lock is missing still stays, and what it had leased before is free", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [cut, other] = [dispatcher(), dispatcher()];
  await cut.watch.look();
  await other.watch.look();
  await cut.claim(4);
  await cut.watch.stop();
  await eventually(async () => expect((await superuser.query(HELD)).rowCount).toBe(1));
  expect([await other.watch.look(), await other.watch.look()]).toEqual([0, 0]);
  await cut.claim(4);
  expect(await other.watch.look()).toBe(4);
  expect(await leased()).toEqual([cut.holder]);
  await cut.watch.look();
  for (let looks = 0; looks < 5; looks++) expect(await other.watch.look()).toBe(0);
});

test("what one leases again stays, also where the look that frees the rest takes long", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [cut, other] = [dispatcher(), dispatcher(slowToRelease)];
  await cut.watch.look();
  await other.watch.look();
  await cut.watch.stop();
  await eventually(async () => expect((await superuser.query(HELD)).rowCount).toBe(1));
  expect([await other.watch.look(), await other.watch.look()]).toEqual([0, 0]);
  await cut.claim();
  expect(await other.watch.look()).toBe(0);
  expect(await leased()).toEqual([cut.holder]);
});

test("a process that starts frees what one had that died before it", async () => {
  const { dispatcher, leased } = await startTables();
  await dispatcher().claim();
  const later = dispatcher();
  for (let looks = 0; looks < 3; looks++) expect(await later.watch.look()).toBe(0);
  expect(await later.watch.look()).toBe(8);
  expect(await leased()).toEqual([]);
});

/** The locks of living dispatchers, one for each. */
const HELD = `select pid from pg_locks where locktype = 'advisory' and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())`;

/** Has each statement that frees leases come half a second after it was sent. */
function slowToRelease(client: ClientBase) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = (async (...args: unknown[]) => {
    if (args[0] === RELEASE_HELD_BY) await query("select pg_sleep(0.5)");
    return query(...args);
  }) as typeof client.query;
}

const LEASE_MS = 3_600_000;

async function startTables() {
  const database = await createTestDatabase();
  const superuser = new Pool({ connectionString: database.superuserUrl });
  const pools: Pool[] = [superuser];
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
  await insertWaiting(superuser, { merchants: 1, each: 8, dueInSeconds: -60 });
  return {
    superuser,
    dispatcher: (adjust?: (client: ClientBase) => void) => {
      const holder = newLeaseHolder();
      const settings = Object.entries({ ...PLAN_SETTINGS, ...leasesOf(holder) });
      const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(" ");
      const pool = new Pool({ connectionString: database.urls.webhooks.app, options });
      pool.on("error", () => {}).on("connect", (client) => void client.on("error", () => {}));
      if (adjust) pool.on("connect", adjust);
      pools.push(pool);
      const watch = watchLeases(pool, holder, { leaseMs: LEASE_MS });
      onTestFinished(() => watch.stop());
      const request = { rooms: [], leaseMs: LEASE_MS, shiftMs: 0, after: undefined };
      return { holder, watch, claim: (limit = 500) => claimDeliveries(pool, { ...request, limit }) };
    },
    /** The holders of leases. */
    leased: async () => {
      const { rows } = await superuser.query<{ holder: string }>(
        "select distinct left(lease_token::text, 18) as holder from webhooks.delivery where lease_token is not null",
      );
      return rows.map(({ holder }) => holder);
    },
  };
}
