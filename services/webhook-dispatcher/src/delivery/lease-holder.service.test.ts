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

test("one whose session broke takes its lock again, and its leases stay", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  const [broken, other] = [dispatcher(), dispatcher()];
  await broken.watch.look();
  await broken.claim();
  await other.watch.look();
  await superuser.query(`select pg_terminate_backend(pid) from (${HELD}) as held`);
  await expect(broken.watch.look()).rejects.toThrow();
  await expect(other.watch.look()).rejects.toThrow();
  await broken.watch.look();
  for (let looks = 0; looks < 5; looks++) expect(await other.watch.look()).toBe(0);
  expect(await leased()).toEqual([broken.holder]);
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

test("a process that starts frees what one had that died before it, and no lease of a version that names nobody", async () => {
  const { superuser, dispatcher, leased } = await startTables();
  await dispatcher().claim();
  await superuser.query(`update webhooks.delivery set lease_token = gen_random_uuid()
    where delivery_id = (select delivery_id from webhooks.delivery where lease_token is not null limit 1)`);
  const later = dispatcher();
  const freed = [await later.watch.look(), await later.watch.look(), await later.watch.look()];
  expect(freed).toEqual([0, 0, 7]);
  expect(await leased()).toEqual([expect.stringMatching(/-4...$/)]);
});

/** The locks of living dispatchers, of which each has one. */
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
    /** Who has leases. */
    leased: async () => {
      const { rows } = await superuser.query<{ holder: string }>(
        "select distinct left(lease_token::text, 18) as holder from webhooks.delivery where lease_token is not null",
      );
      return rows.map(({ holder }) => holder);
    },
  };
}
