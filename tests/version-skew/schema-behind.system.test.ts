// Services that start before their schema is migrated, or anything is installed: one `kubectl apply` of everything.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { spawnLogged, withParentDeathSignal } from "@holdfast/sandbox/infrastructure";
import { createLogger } from "@holdfast/service-runtime";
import { expect, onTestFinished, test } from "vitest";
import { bareEnvironment } from "../support/bare-environment.ts";
import { holdfast } from "../support/holdfast.ts";
import { eventually, startTestSystem } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";

async function setUp() {
  const system = await startTestSystem({ services: ["refunds"], running: [] });
  onTestFinished(() => system.close());
  /** The program of an image, with the service's own settings. */
  const start = async () => {
    const child = await spawnLogged({
      name: "refunds",
      command: withParentDeathSignal("KILL", await holdfast("run", "refunds")),
      env: { ...bareEnvironment(), NODE_ENV: "test", ...system.environment("refunds") },
      logFile: join(makeTestDirectory(), "refunds.log"),
    });
    onTestFinished(async () => void (await child.stop({ withinMs: 5_000 })));
    return child;
  };
  const migrate = async () => {
    const env = { ...process.env, MIGRATION_DATABASE_URL: system.database.urls.refunds.owner };
    const [node = "", ...args] = await holdfast("migrate", "refunds");
    const options = { env: { ...env, ALLOW_PLAINTEXT: "postgres" } };
    return (await promisify(execFile)(node, args, options)).stdout;
  };
  /** Restores the state after the installation and before the first migration. */
  const unmigrate = () =>
    system.query(`drop schema refunds cascade; create schema refunds authorization refunds_owner;
      grant usage on schema refunds to refunds_app, holdfast_auditor`);
  return { system, start, migrate, unmigrate };
}

test("a process of a newer version waits for its migrations, says so, and starts when they have run", async () => {
  const { start, migrate, unmigrate } = await setUp();
  await unmigrate();
  const child = await start();
  await eventually(() =>
    expect(child.logTail()).toContain("the migrations have not run yet (SQLSTATE 42P01)"),
  );
  expect(child.logTail()).not.toContain('"started"');
  expect(await migrate()).toContain("migrated 0001-refunds.sql");
  await eventually(() => expect(child.logTail()).toContain('"started"'));
  expect(child.logTail().match(/waiting for the schema/g)).toHaveLength(1);
});

test("one without the right to look waits too: the migration that gives it comes", async () => {
  const { system, start, migrate, unmigrate } = await setUp();
  await unmigrate();
  // The record is there before the first migration has run.
  await system.query(`create table refunds.migration (name varchar(255) primary key, timestamp varchar(255) not null);
    alter table refunds.migration owner to refunds_owner`);
  const child = await start();
  await eventually(() => expect(child.logTail()).toContain("SQLSTATE 42501"));
  await migrate();
  await eventually(() => expect(child.logTail()).toContain('"started"'));
});

test("one that is told to stop meanwhile stops", async () => {
  const { start, unmigrate } = await setUp();
  await unmigrate();
  const child = await start();
  await eventually(() => expect(child.logTail()).toContain("waiting for the schema"));
  await child.stop({ withinMs: 30_000 });
  expect(child.logTail()).toContain("stopped before it had started");
});

test("one on a schema that others have made ends at once, says what it found, and changes nothing", async () => {
  const { system, start, migrate } = await setUp();
  await system.query("update refunds.migration set name = '0001-of-others'");
  const found = "the schema refunds has 1 migrations that this version does not know, from 0001-of-others";
  const child = await start();
  expect((await child.exited).code).toBe(1);
  expect(child.logTail()).toContain(found);
  await expect(migrate()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(found) });
  expect(await system.query("select name from refunds.migration")).toEqual([{ name: "0001-of-others" }]);
});

test("a process of the release before starts on a schema that is ahead", async () => {
  const { system, start } = await setUp();
  await system.query("insert into refunds.migration (name, timestamp) values ('9999-of-tomorrow', 'now')");
  const child = await start();
  await eventually(() => expect(child.logTail()).toContain('"started"'));
  expect(child.logTail()).not.toContain("waiting for the schema");
});

const SCHEMAS = {
  "gateway-merchant": "gateway",
  "gateway-operator": "gateway",
  "gateway-public": "gateway",
  "gateway-staff": "gateway",
  payments: "payments",
  refunds: "refunds",
  "webhook-dispatcher": "webhooks",
  settlement: "settlement",
} as const;

test("every service on a schema waits for its own", async () => {
  const names = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];
  const waiting = new Set<string>();
  const log = (name: string) =>
    createLogger(name, "warn", {
      write: (line) => void (line.includes("waiting for the schema") && waiting.add(name)),
    });
  const system = await startTestSystem({ services: names, running: [], log });
  onTestFinished(() => system.close());
  const removed = new Map<string, Record<string, unknown>[]>();
  for (const schema of new Set(Object.values(SCHEMAS))) {
    const latest = `(select max(name) from ${schema}.migration)`;
    removed.set(
      schema,
      await system.query(`delete from ${schema}.migration where name = ${latest} returning *`),
    );
  }
  const started = new Set<string>();
  const starting = names.map(async (name) => {
    await system.start(name);
    started.add(name);
  });
  await eventually(() => expect(waiting).toEqual(new Set(names)));
  expect(started).toEqual(new Set());
  for (const [schema, [row]] of removed) {
    const values = [row!["name"], row!["timestamp"]];
    await system.query(`insert into ${schema}.migration (name, timestamp) values ($1, $2)`, values);
  }
  await Promise.all(starting);
});
