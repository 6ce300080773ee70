import { join } from "node:path";
import { startNatsServer, startPostgres, withClient } from "@holdfast/sandbox/infrastructure";
import { escapeIdentifier } from "pg";
import { readExternalServers, type TestBackend } from "./test-backend.ts";
import {
  removeContainers,
  startNatsContainer,
  startPostgresContainer,
  type TestRun,
} from "./test-containers.ts";

/** The PostgreSQL and the nats-server that all files of a test run share. */
export type TestServers = {
  superuserUrl: string;
  natsUrl: string;
  /** Ends them; on servers that were there before, removes the run's databases, which begin with the given name. */
  stop(databasePrefix: string): Promise<void>;
};

type Surroundings = { dir: string; run: TestRun; env: NodeJS.ProcessEnv };

/** Leaves nothing behind when it throws. */
export function startServers(backend: TestBackend, surroundings: Surroundings): Promise<TestServers> {
  switch (backend) {
    case "embedded":
      return startEmbedded(surroundings);
    case "containers":
      return startContainers(surroundings);
    case "external":
      return Promise.resolve(useExternal(surroundings));
    default:
      return backend satisfies never;
  }
}

async function startEmbedded({ dir }: Surroundings): Promise<TestServers> {
  const starting = [
    startPostgres({ dataDir: join(dir, "postgres"), logFile: join(dir, "postgres.log"), durable: false }),
    startNatsServer({ storeDir: join(dir, "nats"), logFile: join(dir, "nats-server.log") }),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starting);
    await Promise.all(
      started.filter((server) => server.status === "fulfilled").map(({ value }) => value.stop()),
    );
  };
  try {
    const [postgres, nats] = await Promise.all(starting);
    return { superuserUrl: postgres.superuserUrl("postgres"), natsUrl: nats.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startContainers({ run }: Surroundings): Promise<TestServers> {
  await removeContainers();
  const starting = [startPostgresContainer(run), startNatsContainer(run)] as const;
  // All of the run's containers, those that test files have left included.
  const stop = async () => {
    await Promise.allSettled(starting);
    await removeContainers(run);
  };
  try {
    const [superuserUrl, nats] = await Promise.all(starting);
    return { superuserUrl, natsUrl: nats.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function useExternal({ env }: Surroundings): TestServers {
  const servers = readExternalServers(env);
  return { ...servers, stop: (prefix) => dropDatabases(servers.superuserUrl, prefix) };
}

async function dropDatabases(superuserUrl: string, prefix: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [prefix],
    );
    for (const { datname } of rows) {
      await client.query(`drop database if exists ${escapeIdentifier(datname)} with (force)`);
    }
  });
}
