// The upgrade from the previous release of an installation with data, while rows are written. Every later
// migration meets filled tables, after the steps that docs/upgrade.md has operators take beforehand. Before
// the first release there is no previous one, and the test proves that every table can be filled, is written
// to and needs no migration.
import { execFile } from "node:child_process";
import { chmod, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { schemaByService, type ServiceName } from "@holdfast/sandbox/infrastructure";
import { migrate } from "@holdfast/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, eventually, type TestDatabase } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { emptySchemas } from "./empty-schemas.ts";
import { ROWS } from "./fill-table.ts";
import { filledSchema, type FilledSchema } from "./filled-schema.ts";
import { NOTEBOOK, stopOf } from "./observe-migration.ts";
import { migrationsAt, releaseBefore, ROOT } from "./release-before.ts";
import { commandsBeforehand, stopsOfThePage } from "./upgrade-page.ts";
import { DEADLOCK, type Writer } from "./write-during.ts";

const services = Object.keys(schemaByService) as ServiceName[];
const release = releaseBefore();
const directory = makeTestDirectory();
const writers: Writer[] = [];
const schemas = {} as Record<ServiceName, FilledSchema>;
let database: TestDatabase;
let client: Client;
/** Every table of every service: three minutes on a machine with a load of thirty. */
const FILLED_WITHIN_MS = 900_000;

beforeAll(async () => {
  database = await createTestDatabase();
  client = await connected();
  await emptySchemas(client);
  await client.query(NOTEBOOK);
  for (const service of services) {
    const ownerUrl = database.urls[schemaByService[service]].owner;
    const writer: Writer = { client: await connected(), next: ROWS + 1, failures: [] };
    // A wait that is longer than any load explains has no end.
    await writer.client.query("set lock_timeout = '120s'");
    writers.push(writer);
    const released = migrationsAt(release, service);
    schemas[service] = await filledSchema({ service, ownerUrl, client, writer, directory, released });
  }
  for (const { commands, before } of commandsBeforehand()) {
    for (const { service, migration } of before) await schemas[service].migrate(migration);
    const named = [...new Set(before.map(({ service }) => schemas[service]))];
    await named.reduce(
      (work, schema) => () => schema.whileWriting(commands, work),
      () => run(commands),
    )();
  }
  for (const service of services) {
    await schemas[service].migrate();
    // A release without a migration is written to, too.
    await schemas[service].whileWriting("the end", async () => {
      const { writer } = schemas[service];
      const begun = writer.next;
      await eventually(() => writer.next > begun + 10);
    });
  }
}, FILLED_WITHIN_MS);
afterAll(async () => {
  await client?.end();
  await Promise.all(writers.map((writer) => writer.client.end()));
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const observed = () => services.flatMap((service) => schemas[service].observed);

test("writers wait for no more than a moment, but where docs/upgrade.md says what they wait for", () => {
  const stops = observed().flatMap((one) => {
    const stop = stopOf(one);
    return stop ? [`${one.migration} | ${stop.waits.join(", ")} | ${stop.works.join(", ")}`] : [];
  });
  expect(stops).toEqual(stopsOfThePage());
});

test("a writer that goes on meanwhile gets through while a migration is at its end, unless that has locked what it writes", () => {
  const unexplained = observed().filter(
    ({ writer: outcome, locked, written }) =>
      outcome === "waits" && locked.length === 0 && written.length === 0,
  );
  expect(unexplained).toEqual([]);
});

test("what the release before writes is taken before, during and after each migration; a deadlock comes of a stop alone", () => {
  const stops = new Set(stopsOfThePage().map((row) => row.split(" | ")[0]));
  const failures = writers.flatMap((writer) => writer.failures);
  expect(failures.filter(({ code, during }) => code !== DEADLOCK || !stops.has(during))).toEqual([]);
  for (const { next } of writers) expect(next).toBeGreaterThan(ROWS + 10);
});

test("nobody queues without an end behind a migration that waits for a lock", () => {
  const endless = observed().filter(({ locked, lockTimeout }) => locked.length > 0 && lockTimeout === "0");
  expect(endless.map(({ migration }) => migration)).toEqual([]);
});

test("every row is there afterwards", async () => {
  for (const service of services) {
    const { schema, tables } = schemas[service];
    for (const { table, filled } of tables) {
      const { rows } = await client.query(`select count(*)::integer as rows from ${schema}."${table}"`);
      expect(rows[0].rows, `${schema}.${table}`).toBeGreaterThanOrEqual(filled);
    }
  }
});

test("to the services' own commands nothing is left to do", async () => {
  for (const service of services) {
    const schema = schemaByService[service];
    const from = join(ROOT, "services", service, "migrations");
    expect(await migrate(database.urls[schema].owner, schema, from)).toEqual([]);
  }
});

async function connected(): Promise<Client> {
  const made = new Client({ connectionString: database.superuserUrl, ssl: false });
  await made.connect();
  return made;
}

/** Runs commands as a person does in the repository. */
async function run(commands: string): Promise<void> {
  const psql = join(directory, "psql");
  const standIn = join(import.meta.dirname, "psql-stand-in.ts");
  await writeFile(psql, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
  await chmod(psql, 0o755);
  const PATH = [directory, process.env["PATH"]].join(delimiter);
  await promisify(execFile)("sh", ["-euc", commands], {
    cwd: ROOT,
    env: { ...process.env, PATH, SUPERUSER_URL: database.superuserUrl },
  });
}
