// A database with all migrations, made once per test run. It is cloned for each test file, which takes some 30 ms, so
// that files run side by side without seeing each other.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  provisionDatabase,
  roleNames,
  runLogged,
  schemaByService,
  startNatsServer,
  startPostgres,
  type Postgres,
  type RolePasswords,
  type ServiceName,
} from "@holdfast/local-infrastructure";
import { makeTestDirectory, removeLeftovers } from "./test-directory.ts";

/** What a test run shares; vitest hands it from the main process to the test files, so it is plain data. */
export type ProvidedInfrastructure = {
  superuserUrl: string;
  passwords: RolePasswords;
  /** A nats-server that all test files share: for subjects of a test's own. Take `startTestNats` for whole services. */
  natsUrl: string;
};

declare module "vitest" {
  export interface ProvidedContext {
    holdfast: ProvidedInfrastructure;
  }
}

export const templateDatabaseName = "holdfast_template";

const repositoryServices = join(import.meta.dirname, "..", "..", "..", "services");

/**
 * Starts PostgreSQL (not durable) and nats-server in a directory of their own and migrates the template database for the
 * given services, or for all that have a `src/migrate.ts`.
 */
export async function startTestInfrastructure(
  options: { services?: ServiceName[]; servicesDir?: string } = {},
): Promise<{ provided: ProvidedInfrastructure; stop: () => Promise<void> }> {
  removeLeftovers();
  const dir = makeTestDirectory();
  const starting = [
    startTemplate(
      dir,
      options.services ?? (Object.keys(schemaByService) as ServiceName[]),
      options.servicesDir,
    ),
    startNatsServer({ storeDir: join(dir, "nats"), logFile: join(dir, "nats-server.log") }),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starting);
    await Promise.all(
      started.filter((server) => server.status === "fulfilled").map(({ value }) => value.stop()),
    );
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const [postgres, nats] = await Promise.all(starting);
    const superuserUrl = postgres.superuserUrl("postgres");
    return { provided: { superuserUrl, passwords, natsUrl: nats.url }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// Known to every test and worth nothing: the server listens on 127.0.0.1 while the tests run.
const passwords = Object.fromEntries(roleNames.map((role) => [role, role])) as RolePasswords;

async function startTemplate(
  dir: string,
  services: ServiceName[],
  servicesDir = repositoryServices,
): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir: join(dir, "postgres"),
    logFile: join(dir, "postgres.log"),
    durable: false,
  });
  try {
    const superuserUrl = postgres.superuserUrl("postgres");
    const urls = await provisionDatabase({ superuserUrl, database: templateDatabaseName, passwords });
    await Promise.all(
      services.map(async (service) => {
        const program = join(servicesDir, service, "src", "migrate.ts");
        if (existsSync(program)) await migrate(dir, service, program, urls[schemaByService[service]].owner);
      }),
    );
    return postgres;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function migrate(dir: string, service: ServiceName, program: string, ownerUrl: string): Promise<void> {
  await runLogged({
    name: `${service}-migration`,
    command: [process.execPath, program],
    env: { ...process.env, MIGRATION_DATABASE_URL: ownerUrl },
    logFile: join(dir, `${service}-migration.log`),
    timeoutMs: 60_000,
  });
}
