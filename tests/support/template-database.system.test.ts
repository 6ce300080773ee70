import { existsSync } from "node:fs";
import { join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestInfrastructure } from "./template-database.ts";
import { createTestDatabase } from "./test-database.ts";
import { startTestNats } from "./test-nats.ts";

let infrastructure: Awaited<ReturnType<typeof startTestInfrastructure>>;

beforeAll(async () => {
  infrastructure = await startTestInfrastructure({
    services: ["payments"],
    migration: join(import.meta.dirname, "test", "stand-in-migration.ts"),
  });
});
afterAll(() => infrastructure.stop());

function query(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows);
}

test("clones made side by side are migrated, and each sees only its own rows", async () => {
  const { provided } = infrastructure;
  const [one, other] = await Promise.all([createTestDatabase(provided), createTestDatabase(provided)]);
  await query(one.urls.payments.app, "insert into payment values (1)");
  expect(await query(one.urls.payments.app, "select * from payment")).toEqual([{ id: 1 }]);
  expect(await query(other.urls.payments.app, "select * from payment")).toEqual([]);
});

test("in a clone roles stay within their schemas, and a dropped clone is gone", async () => {
  const database = await createTestDatabase(infrastructure.provided);
  await expect(query(database.urls.refunds.app, "select * from payments.payment")).rejects.toMatchObject({
    code: "42501",
  });
  await database.drop();
  await expect(query(database.superuserUrl, "select 1")).rejects.toMatchObject({ code: "3D000" });
});

test("a nats-server of one's own can be killed and comes back under its URL", async () => {
  const nats = await startTestNats();
  await nats.kill();
  await nats.restart();
  await nats.stop();
  expect(infrastructure.provided.natsUrl).not.toBe(nats.url);
});

test("a migration that fails is shown with its log, and nothing is left", async () => {
  const migration = join(import.meta.dirname, "test", "failing-migration.ts");
  const failure = await startTestInfrastructure({ services: ["payments"], migration }).catch(
    (error: Error) => error,
  );
  expect(failure).toMatchObject({
    message: expect.stringMatching(/payments-migration failed[\s\S]*no such table/),
  });
  const log = /its log: (.*)\)/.exec((failure as Error).message)?.[1] ?? "/";
  expect(existsSync(log)).toBe(false);
});
