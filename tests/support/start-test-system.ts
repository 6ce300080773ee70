import { randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { OBSERVER, type MessageContext } from "@holdfast/contracts";
import { installEventStream, keepEventStream } from "@holdfast/installation";
import { connectBus, natsUsersConfig } from "@holdfast/messaging";
import type { LoggedChild } from "@holdfast/sandbox/infrastructure";
import { createCardSealer } from "@holdfast/sealing";
import { createLogger, type Logger } from "@holdfast/service-runtime";
import { Pool } from "pg";
import { createPaymentCommand, type PaymentChange } from "./create-payment-command.ts";
import { createRequests } from "./create-requests.ts";
import { createOperatorIdentity } from "./operator-identity.ts";
import {
  spawnService,
  startService,
  type Environment,
  type Overrides,
  type ServiceName,
  type StartedServices,
} from "./start-service.ts";
import {
  moveAccount,
  plantAccount,
  plantSettlementAccount,
  type TestAccountOptions,
} from "./test-account.ts";
import { startTestBank, type TestBankOptions } from "./test-bank.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";
import { makeTestDirectory } from "./test-directory.ts";
import { startTestNats } from "./test-nats.ts";
import { createTestSettings } from "./test-settings.ts";

export type TestSystemOptions = {
  /** Which services the test is about. A bank is there for payments and refunds. */
  services: readonly ServiceName[];
  /** The services that run from the beginning: all, unless the test starts some itself. */
  running?: readonly ServiceName[];
  /** Settings of all services. */
  env?: Environment;
  /** Settings of one service, which override the settings of all. */
  envOf?: Partial<Record<ServiceName, Environment>>;
  bank?: TestBankOptions;
  /** The default account at the bank; null if the test creates all accounts itself. */
  account?: TestAccountOptions | null;
  commission?: NonNullable<MessageContext["merchant"]["commission"]>;
  /** The log of a service in this process; without it, its errors go to stdout. */
  log?: (service: ServiceName) => Logger;
  /**
   * Each service signs in to the bus as its own user, as in production; the test itself is the observer. Otherwise the
   * bus has no sign-in.
   */
  withBusUsers?: boolean;
  /** The time for which the dispatchers' consumer waits for an acknowledgement. */
  ackWaitMs?: number;
  /** Replaces a database of the test run's server. */
  database?: TestDatabase;
};

export type TestSystem = Awaited<ReturnType<typeof startTestSystem>>;

/** Long enough for a busy machine. */
const STREAM_WITHIN_MS = 180_000;

/**
 * Services in this process, with a database, a bus and a bank of their own. The test plays all others: the gateway that
 * sends commands, the merchant, the buyer and the operator.
 */
export async function startTestSystem(options: TestSystemOptions) {
  const { services, running = services, commission, ackWaitMs = 30_000 } = options;
  const dir = makeTestDirectory();
  const [database, nats, bank] = await Promise.all([
    options.database ?? createTestDatabase(),
    startTestNats(options.withBusUsers ? { configFile: writeBusUsers(dir) } : {}),
    services.includes("payments") || services.includes("refunds")
      ? startTestBank(dir, options.bank)
      : undefined,
  ]);
  const busLogin = (user: string) => (options.withBusUsers ? { user, password: passwordOf(user) } : {});
  const bus = await connectBus({ url: nats.url, name: "test", ...busLogin(OBSERVER) });
  const stream = { replicas: 1, bytesMax: 268_435_456, ackWaitMs };
  await installEventStream(bus, stream, { withinMs: STREAM_WITHIN_MS });
  const kept = keepEventStream(bus, stream, { intervalMs: 1_000 });
  const superuser = createSuperuser(database.superuserUrl);
  const sealingKey = randomBytes(32);
  const sealer = createCardSealer({ activeId: "k1", keys: new Map([["k1", sealingKey]]) });
  const identity = await createOperatorIdentity();
  const surroundings = {
    database,
    natsUrl: nats.url,
    sealingKey,
    operatorTokens: await identity.settings(join(dir, "operator-jwks.json")),
  };
  const processes = createProcesses(dir, createTestSettings(surroundings), options);
  const query = queryBy(superuser);
  await plantSettlementAccount(query);
  if (bank && options.account !== null)
    await plantAccount(
      query,
      processes.environment("payments"),
      { url: bank.acquirer.url, repetition: options.bank?.repetition },
      options.account,
    );
  for (const service of running) await processes.start(service);
  const merchantId = randomUUID();
  return {
    database,
    nats,
    bus,
    /** Undefined if neither payments nor refunds is among the services. */
    bank,
    merchantId,
    /** Signs the tokens of operators. */
    identity,
    /** The login of a user of the bus. */
    busLogin,
    ...processes,
    ...createRequests(bus, { merchant: { merchantId, ...(commission && { commission }) }, identity }),
    /** A pre-authorization or a sale as the gateway sends it, with `change` applied. */
    sealer,
    command: (change?: PaymentChange) => createPaymentCommand(sealer, merchantId, change),
    /** Queries as the superuser, so every service's rows. */
    query,
    /** Moves the account to another address, for the processes that are started from now on. */
    moveAccount: (url: string) => moveAccount(query, url),
    async close(): Promise<void> {
      await processes.stopAll();
      await superuser.end();
      await Promise.all([kept.stop(), bus.close(1_000)]);
      await Promise.all([bank?.acquirer.close(), nats.stop(), database.drop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The users that the contracts make, with passwords that every test knows. */
function writeBusUsers(dir: string): string {
  const file = join(dir, "nats-server.conf");
  writeFileSync(
    file,
    natsUsersConfig({ password: (user) => JSON.stringify(passwordOf(user)), observed: true }),
  );
  return file;
}

function passwordOf(user: string): string {
  return `of ${user}`;
}

function createSuperuser(connectionString: string): Pool {
  const superuser = new Pool({ connectionString, max: 4 });
  // Some tests end the sessions of a database, or its server.
  superuser.on("error", () => {});
  superuser.on("connect", (connection) => void connection.on("error", () => {}));
  return superuser;
}

function queryBy(pool: Pool) {
  return async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as Row[];
}

/** Vitest shows the log beside a failing test, and nothing for a passing one. */
const SHOWN_WHERE_RED = {
  // oxlint-disable-next-line no-console -- what goes past the console is printed for every test
  write: (line: string) => console.error(line.trimEnd()),
};

/** Starts and stops the system's services, in this process and as processes of their own. */
function createProcesses(
  dir: string,
  settings: ReturnType<typeof createTestSettings>,
  {
    env,
    envOf = {},
    withBusUsers = false,
    log = (service) => createLogger(service, "error", SHOWN_WHERE_RED),
  }: TestSystemOptions,
) {
  const inside: { stop(): Promise<void> }[] = [];
  const outside: LoggedChild[] = [];
  let spawned = 0;
  const environment = <Name extends ServiceName>(name: Name, more: Environment = {}) => ({
    ...settings[name],
    ...(withBusUsers && { NATS_USER: name, NATS_PASSWORD: passwordOf(name) }),
    ...env,
    ...envOf[name],
    ...more,
  });
  const stopSpawned = async () => {
    await Promise.all(outside.splice(0).map((child) => child.stop({ withinMs: 5_000 })));
  };
  return {
    /** The environment of a service's process. */
    environment,
    /**
     * Starts a further process of a service within this process; it stops with `close`, unless the test stops
     * it.
     */
    async start<Name extends ServiceName>(
      name: Name,
      more?: Environment,
      overrides?: Overrides,
    ): Promise<StartedServices[Name]> {
      const service = await startService(name, environment(name, more), log(name), overrides);
      let stopping: Promise<void> | undefined;
      const once = { ...service, stop: () => (stopping ??= service.stop()) };
      inside.push(once);
      return once;
    },
    /** Starts a service that can be killed: a process of its own that has started, or has reached its failpoint. */
    async spawn(name: ServiceName, more?: Environment): Promise<LoggedChild> {
      const child = await spawnService(name, environment(name, more), join(dir, `${name}-${spawned++}.log`));
      outside.push(child);
      return child;
    },
    stopSpawned,
    async stopAll(): Promise<void> {
      await Promise.all([stopSpawned(), ...inside.map((service) => service.stop())]);
    },
  };
}
