// The start of each process of the sandbox, and the condition under which it counts as up.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  ChildFailedError,
  freePort,
  runLogged,
  spawnLogged,
  startNatsServer,
  startPostgres,
  withParentDeathSignal,
  type LoggedChild,
  type Postgres,
  type SchemaUrls,
} from "./infrastructure/index.ts";
import type { Bundle } from "@holdfast/bundle";
import type { JWK } from "jose";
import { natsUsersConfig } from "@holdfast/messaging";
import { IMAGE_ENVIRONMENT } from "./image-environment.ts";
import { bankEnvironment, merchantsAt, type BankContracts, type BankProtocol } from "./banks.ts";
import { operatorAudience, operatorIssuerOf, staffAudience, type SandboxPerson } from "./operators.ts";
import type { Ports } from "./ports.ts";
import { replaceFile } from "./replace-file.ts";
import type { BusPasswords } from "./secrets.ts";
import type { ServiceDefinition, ServiceSurroundings } from "./service-definitions.ts";
import type { Launch, Supervisor } from "./supervisor.ts";

export type LaunchContext = {
  home: string;
  /** The bundle, which may still be built while servers start. */
  programs: Promise<Bundle>;
  supervisor: Supervisor;
  log: (line: string) => void;
};

/** The port is chosen at the first start and kept, so that clients find the server again after a restart. */
export async function launchPostgres({ home, supervisor }: LaunchContext): Promise<Postgres> {
  const first = Promise.withResolvers<Postgres>();
  let port: number | undefined;
  await supervisor.start("postgres", "database", async (onSpawn) => {
    const kept = port === undefined ? {} : { port };
    const logFile = logOf(home, "postgres");
    const postgres = await startPostgres({
      dataDir: join(home, "postgres"),
      logFile,
      durable: true,
      ...kept,
      onSpawn,
    });
    port = postgres.port;
    first.resolve(postgres);
  });
  return first.promise;
}

/** Starts NATS with a user for each service, as in production, and the observer. Answers the URL. */
export async function launchNatsServer(
  { home, supervisor, log }: LaunchContext,
  passwords: BusPasswords,
): Promise<string> {
  const configFile = join(home, "nats-server.conf");
  // The second logins are unused here: a sandbox is restarted instead.
  const password = (login: string) =>
    login in passwords ? JSON.stringify(passwords[login as keyof BusPasswords]) : undefined;
  replaceFile(configFile, natsUsersConfig({ password, observed: true }), 0o600);
  let port: number | undefined;
  await supervisor.start("nats-server", "transport", async (onSpawn) => {
    const kept = port === undefined ? {} : { port };
    const logFile = logOf(home, "nats-server");
    const options = { storeDir: join(home, "nats"), configFile, logFile, ...kept, onSpawn, log };
    const server = await startNatsServer(options);
    port = server.port;
  });
  return `nats://127.0.0.1:${port}`;
}

export async function launchSimulator(
  { home, programs, supervisor }: LaunchContext,
  port: number,
): Promise<void> {
  const command = [(await programs).simulators["bank-simulator"], "sim"];
  const place = { PORT: `${port}`, LEDGER_FILE: join(home, "acquirer-ledger.ndjson") };
  const environment = environmentOf(bankEnvironment("sim", place));
  const launch = program(home, "acquirer-simulator", command, environment, `http://127.0.0.1:${port}/livez`);
  await supervisor.start("acquirer-simulator", "transport", launch);
}

/** Starts the provider that stands in for a company's own. It signs in the person who is chosen. */
export async function launchIdentityProvider(
  { home, programs, supervisor }: LaunchContext,
  { ports, people, signingKey }: { ports: Ports; people: readonly SandboxPerson[]; signingKey: JWK },
): Promise<void> {
  const command = [(await programs).simulators["identity-provider"]];
  const environment = environmentOf({
    IDENTITY_PROVIDER_PORT: `${ports.identityProvider}`,
    IDENTITY_PROVIDER_KEY: JSON.stringify(signingKey),
    IDENTITY_PROVIDER_PEOPLE: JSON.stringify(people),
    IDENTITY_PROVIDER_AUDIENCE: operatorAudience,
    IDENTITY_PROVIDER_STAFF_AUDIENCE: staffAudience,
    IDENTITY_PROVIDER_CONSOLE_URL: `http://127.0.0.1:${ports.console}`,
  });
  const readyUrl = `${operatorIssuerOf(ports)}/livez`;
  const launch = program(home, "identity-provider", command, environment, readyUrl);
  await supervisor.start("identity-provider", "transport", launch);
}

/** @returns the bank's URL, for its clients and for browsers. */
export async function launchBank(
  { home, programs, supervisor }: LaunchContext,
  protocol: BankProtocol,
  { port, contracts }: { port: number; contracts: BankContracts },
): Promise<string> {
  const name = `${protocol}-simulator`;
  const place = { PORT: `${port}`, LEDGER_FILE: join(home, `${protocol}-ledger.ndjson`) };
  const url = `http://127.0.0.1:${port}`;
  const environment = environmentOf(
    bankEnvironment(protocol, { ...place, ...merchantsAt(protocol, contracts) }),
  );
  const command = [(await programs).simulators["bank-simulator"], protocol];
  const launch = program(home, name, command, environment, `${url}/livez`);
  await supervisor.start(name, "transport", launch);
  return url;
}

/** Migrates a service's schema as its owner. */
export async function migrate(
  { home, programs, supervisor }: LaunchContext,
  service: ServiceDefinition,
  urls: SchemaUrls,
): Promise<void> {
  await runLogged({
    name: `${service.name}-migration`,
    command: withParentDeathSignal("KILL", [
      process.execPath,
      (await programs).holdfast,
      "migrate",
      service.program,
    ]),
    env: environmentOf({ MIGRATION_DATABASE_URL: urls[service.schema].owner }),
    logFile: logOf(home, `${service.name}-migration`),
    timeoutMs: migrationTimeoutMs,
    onSpawn: (child) => supervisor.track(child),
  });
}

/** @returns the address of its health port. */
export async function launchService(
  { home, programs, supervisor }: LaunchContext,
  service: ServiceDefinition,
  surroundings: ServiceSurroundings,
): Promise<string> {
  const command = [(await programs).holdfast, "run", service.program];
  const healthPort = await freePort();
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  const environment = environmentOf({
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: `${healthPort}`,
    DATABASE_URL: service.databaseUrl(surroundings.databaseUrls),
    ...(service.busUser !== undefined && {
      NATS_URL: surroundings.natsUrl,
      NATS_USER: service.busUser,
      NATS_PASSWORD: surroundings.secrets.busPasswords[service.busUser],
    }),
    ...service.environment(surroundings),
  });
  const launch = program(home, service.name, command, environment, `${healthUrl}/readyz`);
  await supervisor.start(service.name, service.isEdge ? "edge" : "service", launch);
  return healthUrl;
}

/** Runs a program of this repository with this process's Node; it is up when `readyUrl` answers 200. */
function program(
  home: string,
  name: string,
  command: string[],
  env: NodeJS.ProcessEnv,
  readyUrl: string,
): Launch {
  return async (onSpawn) => {
    const child = await spawnLogged({
      name,
      // SIGKILL, should this process be killed: a service must bear it at any moment, and would else wait for its
      // peers.
      command: withParentDeathSignal("KILL", [process.execPath, ...command]),
      env,
      logFile: logOf(home, name),
    });
    onSpawn(child);
    await untilReady(child, readyUrl);
  };
}

async function untilReady(child: LoggedChild, url: string): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    if (!child.isRunning()) throw new ChildFailedError(child, "stopped while starting");
    const status = await statusOf(url);
    if (status === 200) return;
    if (performance.now() > deadline) {
      await child.stop({ withinMs: 1_000 });
      throw new ChildFailedError(child, `was not ready within ${readyTimeoutMs} ms`);
    }
    await delay(100);
  }
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

/**
 * A process's environment: the variables of the person who started the sandbox, so that `npm start` accepts
 * any setting of a service, and over them the sandbox's own decisions. PG* is removed: it would redirect a
 * database client.
 */
function environmentOf(decided: Record<string, string>): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => !name.startsWith("PG"));
  return { ...DEFAULTS, ...Object.fromEntries(given), ...decided, NODE_ENV: "production" };
}

/** Defaults that fit a sandbox. */
const DEFAULTS = {
  ...IMAGE_ENVIRONMENT,
  RATE_LIMIT_PER_SECOND: "2000",
  REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "2000",
  // People and programs try one test card out again and again here.
  DEFAULT_MERCHANT_RULES: "off",
  // The sandbox promises to be gone within 8 s of a Ctrl-C; the services' own default fits Kubernetes.
  DRAIN_TIMEOUT: "2s",
};

// A machine that also compiles something may take a minute for a start of one or two seconds.
const readyTimeoutMs = 180_000;
const migrationTimeoutMs = 300_000;

function logOf(home: string, name: string): string {
  return join(home, "logs", `${name}.log`);
}
