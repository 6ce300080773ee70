// A database with all migrations, made once per test run. It is cloned for each test file, which takes some 30 ms, so
// that files run side by side without seeing each other.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  AUDITOR,
  programOf,
  provisionDatabase,
  roleNames,
  runLogged,
  schemaByService,
  withClient,
  type RolePasswords,
  type ServiceName,
} from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { holdfast } from "./holdfast.ts";
import { chooseTestBackend, mayHaveEngine, type TestBackend } from "./test-backend.ts";
import { engineHasImages, type TestRun } from "./test-containers.ts";
import { makeTestDirectory, placeForDatabases, removeLeftovers } from "./test-directory.ts";
import { startServers, type TestServers } from "./test-servers.ts";

/**
 * Infrastructure that a test run shares; vitest hands it from the main process to the test files, so it is plain data.
 */
export type ProvidedInfrastructure = {
  backend: TestBackend;
  run: TestRun;
  superuserUrl: string;
  passwords: RolePasswords;
  /** Cloned for each test file; the clones' names begin with its. */
  templateDatabase: string;
  /** A nats-server that all test files share: for subjects of a test's own. Take `startTestNats` for whole services. */
  natsUrl: string;
};

declare module "vitest" {
  export interface ProvidedContext {
    holdfast: ProvidedInfrastructure;
  }
}

/**
 * Takes PostgreSQL and nats-server from the chosen backend and migrates the template database for the given services,
 * or for all. @param options.migration a program in place of `holdfast migrate`
 */
export async function startTestInfrastructure(
  options: { services?: ServiceName[]; migration?: string; backend?: TestBackend } = {},
): Promise<{ provided: ProvidedInfrastructure; stop: () => Promise<void> }> {
  removeLeftovers();
  const backend = options.backend ?? (await backendOf(process.env));
  const run = { pid: process.pid, id: randomBytes(4).toString("hex") };
  const dir = makeTestDirectory(placeForDatabases());
  const servers = await startServers(backend, { dir, run, env: process.env }).catch((error: unknown) => {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  });
  const templateDatabase = `holdfast_test_${run.pid}_${run.id}`;
  const stop = async () => {
    await servers.stop(templateDatabase);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await makeTemplate(dir, servers, templateDatabase, options);
    const { superuserUrl, natsUrl } = servers;
    return { provided: { backend, run, superuserUrl, natsUrl, passwords, templateDatabase }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function backendOf(env: NodeJS.ProcessEnv): Promise<TestBackend> {
  return chooseTestBackend(env, async () => mayHaveEngine(env) && (await engineHasImages()));
}

// Every test knows these passwords, which protect nothing: the server exists only for the tests.
const passwords = Object.fromEntries(roleNames.map((role) => [role, role])) as RolePasswords;

async function makeTemplate(
  dir: string,
  { superuserUrl }: TestServers,
  database: string,
  {
    services = Object.keys(schemaByService) as ServiceName[],
    migration,
  }: { services?: ServiceName[]; migration?: string },
): Promise<void> {
  const urls = await provisionDatabase({ superuserUrl, database, passwords, auditorPassword: AUDITOR });
  await withClient(superuserUrl, allowSlowStatements);
  await Promise.all(
    services.map(async (service) => {
      const command = migration
        ? [process.execPath, migration]
        : await holdfast("migrate", programOf(service));
      await migrate(dir, service, command, urls[schemaByService[service]].owner);
    }),
  );
}

/** Statements that a busy machine is slow with are no outage. */
export async function allowSlowStatements(client: Client): Promise<void> {
  for (const role of roleNames.filter((name) => !name.endsWith("_owner"))) {
    for (const setting of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]) {
      await client.query(`alter role ${role} set ${setting} = '60s'`);
    }
  }
}

async function migrate(
  dir: string,
  service: ServiceName,
  command: string[],
  ownerUrl: string,
): Promise<void> {
  await runLogged({
    name: `${service}-migration`,
    command,
    // The server of a test run may be a container, or of another machine.
    env: { ...process.env, MIGRATION_DATABASE_URL: ownerUrl, ALLOW_PLAINTEXT: "postgres" },
    logFile: join(dir, `${service}-migration.log`),
    timeoutMs: 300_000,
  });
}
