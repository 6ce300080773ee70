import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { createTestDatabase } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import type { ConsoleDatabase } from "../database.ts";
import {
  deleteSession,
  insertSession,
  purgeSessions,
  readSession,
  type SignedIn,
} from "./session-queries.ts";

const RING = { activeId: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
const OTHER_RING = { activeId: "k2", keys: new Map([["k2", Buffer.alloc(32, 2)]]) };
const HOUR_MS = 3_600_000;

async function setUp() {
  const database = await createTestDatabase();
  const pool = createPool({
    url: database.urls.console.app,
    connectionsMax: 2,
    connectionTimeoutMs: 60_000,
    applicationName: "console",
    log: createLogger("test", "error"),
  });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return createDatabase<ConsoleDatabase>(pool);
}

const signedIn = (id: string): SignedIn => ({
  id,
  subject: "alice",
  roles: new Set(["viewer", "approver"]),
  accessToken: "access-token",
  idToken: "id-token",
  providerSession: "sid",
  authenticatedAt: new Date(),
  accessEndsAt: new Date(Date.now() + HOUR_MS),
  endsAt: new Date(Date.now() + 8 * HOUR_MS),
});

test("a session is found by its id alone, with the person's roles and tokens", async () => {
  const db = await setUp();
  await insertSession(db, RING, signedIn("one"));
  const found = await readSession({ db, keys: RING, idleMs: HOUR_MS }, "one");
  expect(found).toMatchObject({
    state: "active",
    session: { subject: "alice", accessToken: "access-token", roles: new Set(["viewer", "approver"]) },
  });
  expect(await readSession({ db, keys: RING, idleMs: HOUR_MS }, "other")).toBeUndefined();
  const row = JSON.stringify(await db.selectFrom("session").selectAll().executeTakeFirst());
  expect(row).not.toContain("access-token");
});

test("a session whose key has left the ring, or whose row was exchanged, signs nobody in", async () => {
  const db = await setUp();
  await insertSession(db, RING, signedIn("one"));
  expect(await readSession({ db, keys: OTHER_RING, idleMs: HOUR_MS }, "one")).toBeUndefined();
});

test("who has signed out is signed out, and what is old is purged", async () => {
  const db = await setUp();
  await insertSession(db, RING, signedIn("one"));
  await insertSession(db, RING, signedIn("two"));
  await deleteSession(db, "one");
  expect(await readSession({ db, keys: RING, idleMs: HOUR_MS }, "one")).toBeUndefined();
  expect(await purgeSessions(db, HOUR_MS)).toBe(0);
  expect(await purgeSessions(db, -HOUR_MS)).toBe(1);
});
