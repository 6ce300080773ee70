// The whole product on one machine, as separate processes. This file has the order in which they start; each
// step's details are in a file of its own.
import { bundle, type Bundle } from "@holdfast/bundle";
import { join, resolve } from "node:path";
import { OBSERVER } from "@holdfast/contracts";
import { callLoopbackDirectly } from "@holdfast/service-runtime/proxy-environment";
import {
  localCertificates,
  provisionDatabase,
  type LocalCertificates,
  type SchemaUrls,
} from "./infrastructure/index.ts";
import { seedBank, type SandboxBank } from "./bank-merchants.ts";
import type { BankProtocol } from "./banks.ts";
import { seedDemoMerchant } from "./demo-merchant.ts";
import { startEventStream } from "./event-stream.ts";
import { openHome } from "./home.ts";
import { keepAccount, simulatorAccount } from "./keep-account.ts";
import {
  launchBank,
  launchIdentityProvider,
  launchNatsServer,
  launchPostgres,
  launchService,
  launchSimulator,
  migrate,
  type LaunchContext,
} from "./launch.ts";
import { operatorClient } from "./operator-client.ts";
import { createOperators, createStaff, operatorIssuerOf, type Operators } from "./operators.ts";
import { choosePorts, type Ports } from "./ports.ts";
import { keepSecrets, type Secrets, type SecretsFile } from "./secrets.ts";
import { createSandboxFile, type SandboxFile } from "./sandbox-file.ts";
import type { ServiceDefinition, ServiceSurroundings } from "./service-definitions.ts";
import { Supervisor } from "./supervisor.ts";
import { seedTestMode } from "./test-mode.ts";

export type SandboxOptions = {
  home: string;
  /** 0 takes free ports. */
  portBase: number;
  services: ServiceDefinition[];
  /** Banks beside the acquirer simulator, each with an account and a merchant. */
  banks?: BankProtocol[];
  /** The programs that run; by default the bundle of this checkout. */
  programs?: () => Promise<Bundle>;
  /** Aborted to stop in order, also while starting. */
  stopSignal?: AbortSignal;
  /** Aborted to kill all processes immediately. */
  killSignal?: AbortSignal;
  log?: (line: string) => void;
};

/** A running sandbox. */
export type Sandbox = {
  /** The content of sandbox.json when everything answered; `processes` there changes with each restart. */
  file: SandboxFile;
  stopped: Promise<void>;
  stop(): Promise<void>;
};

/** The sandbox was asked to stop before everything answered. */
export class SandboxStoppedError extends Error {
  override name = "SandboxStoppedError";
  readonly code = "sandbox_stopped";
}

/** Starts everything and resolves when everything answers; on a failure all is stopped before it is thrown. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  callLoopbackDirectly();
  const { log = () => undefined } = options;
  const home = await openHome(resolve(options.home));
  let file: ReturnType<typeof createSandboxFile> | undefined;
  let eventStream: { stop(): Promise<void> } | undefined;
  const supervisor = new Supervisor({ log, onChange: () => file?.update(supervisor.pids()) });
  const stopped = Promise.withResolvers<void>();
  const interrupted = Promise.withResolvers<never>();
  const stop = once(async () => {
    interrupted.reject(new SandboxStoppedError("stopped while starting"));
    file?.remove();
    await Promise.all([eventStream?.stop(), supervisor.stop()]);
    home.release();
    stopped.resolve();
  });
  whenAborted(options.stopSignal, () => void stop());
  whenAborted(options.killSignal, () => supervisor.kill());
  try {
    const contents = await Promise.race([
      bringUp({
        ...options,
        log,
        home: home.dir,
        supervisor,
        onStream: (started) => (eventStream = started),
      }),
      interrupted.promise,
    ]);
    file = createSandboxFile(home.dir, contents);
    file.update(supervisor.pids());
    return { file: { ...contents, processes: supervisor.pids() }, stopped: stopped.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= action());
}

function whenAborted(signal: AbortSignal | undefined, action: () => void): void {
  if (signal?.aborted) action();
  else signal?.addEventListener("abort", action);
}

type BringUp = Pick<SandboxOptions, "banks" | "programs"> & {
  home: string;
  portBase: number;
  services: ServiceDefinition[];
  supervisor: Supervisor;
  log: (line: string) => void;
  /** Told of what keeps the event stream there, which ends with the sandbox. */
  onStream: (stream: { stop(): Promise<void> }) => void;
};

async function bringUp(options: BringUp): Promise<Omit<SandboxFile, "processes">> {
  const { home, services, log } = options;
  const programs = (options.programs ?? bundle)();
  programs.catch(() => {}); // The error is reported where the programs are needed.
  const context: LaunchContext = { home, programs, supervisor: options.supervisor, log };
  const ports = await choosePorts(options.portBase, options.banks ?? []);
  const secrets = keepSecrets(join(home, "secrets.json"));
  const jwksFile = join(home, "operator-jwks.json");
  const issuer = operatorIssuerOf(ports);
  const operators = await createOperators(secrets.read().operatorKey, { jwksFile, issuer });

  const simulators = ["the acquirer simulator", ...ports.banks.keys().map((bank) => `the ${bank} simulator`)];
  log(`starting PostgreSQL, NATS and ${simulators.join(", ")}`);
  const [database, natsUrl, certificates, bankUrls] = await Promise.all([
    bringUpDatabase(context, services, secrets.read()),
    launchBus(context, secrets.read(), options.onStream),
    localCertificates(join(home, "certificates")),
    launchBanks(context, ports.banks, secrets.read()),
    launchSimulator(context, ports.acquirerSimulator),
  ]);
  if (database.created)
    secrets.update({ demoMerchant: undefined, demoTestKey: undefined, bankMerchants: {} });

  log(`starting ${services.map(({ name }) => name).join(", ")}`);
  const surroundings = {
    ports,
    natsUrl,
    databaseUrls: database.urls,
    secrets: secrets.read(),
    operatorJwksFile: jwksFile,
    caFile: certificates.caFile,
  };
  const healthUrls = await Promise.all(
    services.map(
      async (service) => [service.name, await launchService(context, service, surroundings)] as const,
    ),
  );

  const contents = describe(home, surroundings, certificates, database.superuserUrl);
  const seeded = await seed(secrets, { ...contents, operators, bankUrls });
  const { merchantId } = seeded.merchants[0]!;
  const staff = await createStaff(secrets.read().operatorKey, { issuer, merchantId });
  const people = [
    ...operators.people.map(({ name, roles }) => ({ name, audience: "operator" as const, roles })),
    ...staff.map(({ name, roles }) => ({ name, audience: "staff" as const, roles, merchantId })),
  ];
  // The identity provider needs each employee's merchant, so it starts last.
  await launchIdentityProvider(context, { ports, people, signingKey: operators.signingKey });
  return {
    ...contents,
    healthUrls: Object.fromEntries(healthUrls),
    ...seeded,
    operators: operators.people,
    staff,
    people,
  };
}

async function launchBanks(
  context: LaunchContext,
  ports: Ports["banks"],
  { bankContracts: contracts }: Secrets,
): Promise<[BankProtocol, string][]> {
  return await Promise.all(
    [...ports].map(async ([protocol, port]): Promise<[BankProtocol, string]> => [
      protocol,
      await launchBank(context, protocol, { port, contracts }),
    ]),
  );
}

/** Makes the sandbox's data through the operator API, one after another. */
async function seed(
  secrets: SecretsFile,
  {
    operatorUrl,
    publicUrl,
    acquirerUrl,
    operators: { installation, people },
    bankUrls,
  }: {
    operatorUrl: string;
    publicUrl: string;
    acquirerUrl: string;
    operators: Operators;
    bankUrls: [BankProtocol, string][];
  },
): Promise<Pick<SandboxFile, "accountId" | "merchants" | "testMode" | "banks">> {
  const seeders = {
    first: operatorClient(operatorUrl, installation),
    second: operatorClient(operatorUrl, people[0]!),
  };
  const accountId = await keepAccount(seeders, simulatorAccount(acquirerUrl));
  const merchant = await seedDemoMerchant(secrets, seeders.first);
  const testMode = await seedTestMode(secrets, seeders, { merchantId: merchant.merchantId, acquirerUrl });
  const banks: SandboxBank[] = [];
  for (const [protocol, url] of bankUrls)
    banks.push(await seedBank(secrets, seeders, { protocol, url, publicUrl }));
  return { accountId, merchants: [merchant], testMode, ...(banks.length > 0 && { banks }) };
}

async function launchBus(
  context: LaunchContext,
  { busPasswords }: Secrets,
  onStream: BringUp["onStream"],
): Promise<string> {
  const natsUrl = await launchNatsServer(context, busPasswords);
  const { log } = context;
  onStream(await startEventStream({ natsUrl, passwords: busPasswords, log }));
  return natsUrl;
}

async function bringUpDatabase(
  context: LaunchContext,
  services: ServiceDefinition[],
  secrets: Secrets,
): Promise<{ created: boolean; superuserUrl: string; urls: SchemaUrls }> {
  const postgres = await launchPostgres(context);
  const urls = await provisionDatabase({
    superuserUrl: postgres.superuserUrl("postgres"),
    database: databaseName,
    passwords: secrets.databasePasswords,
  });
  const ofEachSchema = new Map(services.toReversed().map((service) => [service.schema, service]));
  await Promise.all([...ofEachSchema.values()].map((service) => migrate(context, service, urls)));
  return { created: postgres.created, superuserUrl: postgres.superuserUrl(databaseName), urls };
}

const databaseName = "holdfast";

function describe(
  home: string,
  { ports, natsUrl, secrets }: Pick<ServiceSurroundings, "ports" | "natsUrl" | "secrets">,
  { caFile, certFile, keyFile }: LocalCertificates,
  databaseUrl: string,
) {
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return {
    ready: true as const,
    gatewayUrl: url(ports.merchantApi),
    operatorUrl: url(ports.operatorApi),
    staffUrl: url(ports.staffApi),
    publicUrl: url(ports.publicPages),
    consoleUrl: url(ports.console),
    acquirerUrl: url(ports.acquirerSimulator),
    natsUrl: observerUrl(natsUrl, secrets.busPasswords.observer),
    databaseUrl,
    caFile,
    receiver: { certFile, keyFile },
    logs: join(home, "logs"),
  };
}

function observerUrl(natsUrl: string, password: string): string {
  return natsUrl.replace("nats://", `nats://${OBSERVER}:${password}@`);
}
