// Servers in containers. Each container is labelled with its test run and is removed with it; the next run
// removes the containers of a killed run. So no further container has to watch over them.
import { hostname } from "node:os";
import { natsGreeting } from "@holdfast/installation";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { eventually } from "./eventually.ts";
import { isOver } from "./process-is-over.ts";
import type { TestNats } from "./test-nats.ts";

const postgresImage = "postgres:18";
const natsImage = "nats:2";

/** True if a Docker engine answers and has both images. */
export async function engineHasImages(): Promise<boolean> {
  try {
    const { getContainerRuntimeClient, ImageName } = await load();
    const { image } = await getContainerRuntimeClient();
    const there = [postgresImage, natsImage].map((name) => image.exists(ImageName.fromString(name)));
    return (await Promise.all(there)).every(Boolean);
  } catch {
    return false;
  }
}

/** PostgreSQL, not durable. Answers the superuser's URL. */
export async function startPostgresContainer(run: TestRun): Promise<string> {
  const { GenericContainer, Wait } = await load();
  const container = await new GenericContainer(postgresImage)
    .withLabels(labelsOf(run))
    // Worth nothing: the server holds test data, for as long as the tests run.
    .withEnvironment({ POSTGRES_PASSWORD: "postgres" })
    .withCommand(["postgres", ...settings.flatMap((setting) => ["-c", setting])])
    .withExposedPorts(5432)
    // The databases are in memory: a test run's take some hundred megabytes and are copied for each file.
    .withTmpFs({ "/var/lib/postgresql": "rw,size=4g" })
    .withSharedMemorySize(256 * 1024 * 1024)
    .withStartupTimeout(startTimeoutMs)
    // Two servers log this: one initializes the directory and stops, and the other one stays.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return `postgres://postgres:postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
}

const settings = [
  "max_connections=400",
  "timezone=UTC",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "log_parameter_max_length=0",
  "log_parameter_max_length_on_error=0",
];

/** nats-server with JetStream. */
export async function startNatsContainer(run: TestRun): Promise<TestNats> {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await load();
  // A port of our own choice, because the engine would choose another one at each restart.
  const port = await freePort();
  const started = await new GenericContainer(natsImage)
    .withLabels(labelsOf(run))
    .withCommand(["--jetstream", "--store_dir", "/data", "--port", "4222"])
    .withExposedPorts({ container: 4222, host: port })
    .withStartupTimeout(startTimeoutMs)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  const { container: containers } = await getContainerRuntimeClient();
  const container = containers.getById(started.getId());
  const url = `nats://${started.getHost()}:${port}`;
  return {
    url,
    async kill() {
      await container.kill({ signal: "SIGKILL" });
      await container.wait({ condition: "not-running" });
    },
    async restart() {
      await container.start();
      const isUp = async () => (await natsGreeting(url))?.jetstream === true;
      await eventually(isUp, { withinMs: startTimeoutMs });
    },
    stop: async () => void (await container.remove({ force: true, v: true })),
  };
}

/** The test run that a container belongs to: the process that leads it, and which of that process's runs. */
export type TestRun = { pid: number; id: string };

/** Removes the containers of a run, and of all runs on this machine that are over. */
export async function removeContainers(run?: TestRun): Promise<void> {
  const { getContainerRuntimeClient } = await load();
  const { container } = await getContainerRuntimeClient();
  const all = await container.dockerode.listContainers({
    all: true,
    filters: { label: [`${hostLabel}=${hostname()}`] },
  });
  const ours = all.filter(({ Labels }) => {
    const label = Labels[runLabel] ?? "";
    return run ? label === nameOf(run) : isOver(Number.parseInt(label, 10));
  });
  await Promise.all(
    // A container that another run removes at this moment counts as removed.
    ours.map(({ Id }) =>
      container
        .getById(Id)
        .remove({ force: true, v: true })
        .catch(() => undefined),
    ),
  );
}

function labelsOf(run: TestRun): Record<string, string> {
  return { [runLabel]: nameOf(run), [hostLabel]: hostname() };
}

function nameOf({ pid, id }: TestRun): string {
  return `${pid}-${id}`;
}

const runLabel = "holdfast.test.run";
// A process number says nothing on another machine, nor in another container, that uses the same engine.
const hostLabel = "holdfast.test.host";

const startTimeoutMs = 60_000;

async function load() {
  process.env["TESTCONTAINERS_RYUK_DISABLED"] ??= "true";
  return await import("testcontainers");
}
