/**
 * The whole system as it runs in production, as real processes: PostgreSQL, nats-server, the bank, and each service
 * twice (settlement where the books are compared), with a link that can fail between each process and each server it
 * needs. The merchants' receivers run in this process.
 */
import { bundle } from "@holdfast/bundle";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { localCertificates, type LocalCertificates } from "@holdfast/sandbox/infrastructure";
import { startLedgerReceiver } from "../../support/index.ts";
import type { AcquirerProcess } from "./acquirer.ts";
import { openAccounts, plantAcquirer, type PlacesOfMoney } from "./bank-accounts.ts";
import type { ForeignBank, PlannedBank } from "./foreign-banks.ts";
import { DATABASE, migratedDatabase } from "./migrated-database.ts";
import { keepStream } from "./keep-stream.ts";
import { nextPort } from "./port-block.ts";
import { onboardMerchant, type Shop } from "./onboard-merchant.ts";
import { createOperatorIdentity, type OperatorIdentity } from "./operator-identity.ts";
import { createOperators, type Operators } from "./operators.ts";
import type { RestartableServer } from "./restartable-server.ts";
import {
  createDispatcher,
  createGateway,
  createPayments,
  createRefunds,
  createSettlement,
  createStaffApi,
  type Gateway,
  type ServiceProcess,
  type StaffApi,
  type Surroundings,
} from "./service-process.ts";
import { startServers } from "./start-servers.ts";
import type { TcpProxy } from "./tcp-proxy.ts";
import type { Timers } from "./timers.ts";
import { createWires, type Wires } from "./wires.ts";

export type System = {
  /** Logs, the bank's ledger and the client's history are here. */
  dir: string;
  gateways: [Gateway, Gateway];
  payments: [ServiceProcess, ServiceProcess];
  refunds: [ServiceProcess, ServiceProcess];
  webhooks: [ServiceProcess, ServiceProcess];
  /** Two where the run compares the books, and none otherwise. */
  settlement: ServiceProcess[];
  /** Two where the run has merchants' staff at work, and none otherwise. */
  staffApis: StaffApi[];
  /** The URL with which settlement's commands connect. */
  settlementOwnerUrl: string;
  postgres: RestartableServer;
  nats: RestartableServer & { wipe(): void; reload(): void };
  /** All processes reach it over this one link: an account has one address. */
  acquirer: AcquirerProcess & { link: TcpProxy };
  /** The requested banks besides the acquirer; `accountId` is the merchants' account there. */
  banks: (ForeignBank & { accountId: string })[];
  /** The possible banks of each merchant's money; empty if there is one bank only. */
  places: PlacesOfMoney;
  /** Two merchants with webhooks. */
  shops: [Shop, Shop];
  operators: Operators;
  /** The keys that its services were started with, and a token of the operators' identity provider. */
  secrets: Surroundings["secrets"];
  tokenOf: OperatorIdentity["tokenOf"];
  wires: Wires | undefined;
  /** Past every link and every role: for the checker. */
  superuserUrl: string;
  acquirerUrl: string;
  /** Kills every process, and removes the directory, or keeps it under another name. */
  stop(options?: { keepAs?: string }): Promise<void>;
};

/** Every process of a service. */
export function servicesOf({
  gateways,
  payments,
  refunds,
  webhooks,
  settlement,
  staffApis,
}: Services): ServiceProcess[] {
  const listeners = gateways.flatMap((gateway) => [gateway, gateway.operator, gateway.pages]);
  return [...listeners, ...staffApis, ...payments, ...refunds, ...webhooks, ...settlement];
}

/** Every bank. */
export function banksOf({ acquirer, banks }: Pick<System, "acquirer" | "banks">): System["acquirer"][] {
  return [acquirer, ...banks];
}

type Services = Pick<System, "gateways" | "payments" | "refunds" | "webhooks" | "settlement" | "staffApis">;

/** @param root the repository whose services and simulator run; mutants have their own. */
export async function startSystem({
  timers,
  root = process.env["HOLDFAST_SYSTEM_ROOT"] ?? thisRepository,
  secured = false,
  banks = [],
  withSettlement = false,
  withStaff = false,
  env,
}: {
  timers: Timers;
  root?: string;
  /** True for users and TLS on the bus, and TLS on the listeners. */
  secured?: boolean;
  /** Banks besides the acquirer, with an account and a route for each merchant. */
  banks?: readonly PlannedBank[];
  withSettlement?: boolean;
  withStaff?: boolean;
  /** Settings of every service. */
  env?: Record<string, string>;
}): Promise<System> {
  // The next test run removes directories with this name of runs that were killed (tests/support, test-directory.ts).
  const dir = mkdtempSync(join(tmpdir(), `holdfast-test-${process.pid}-chaos-`));
  // PostgreSQL started by root may have to run as another user, who must be able to pass the directory.
  chmodSync(dir, 0o711);
  const cleanup: (() => Promise<void>)[] = [];
  const stop = async ({ keepAs }: { keepAs?: string } = {}) => {
    await Promise.allSettled(cleanup.splice(0).map((end) => end()));
    if (keepAs === undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    else renameSync(dir, keepAs);
  };
  try {
    return {
      ...(await bringUp({
        dir,
        root: resolve(root),
        timers,
        secured,
        banks,
        withSettlement,
        withStaff,
        env,
        cleanup,
      })),
      dir,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const thisRepository = join(import.meta.dirname, "..", "..", "..");

type BringUp = {
  dir: string;
  root: string;
  timers: Timers;
  secured: boolean;
  banks: readonly PlannedBank[];
  withSettlement: boolean;
  withStaff: boolean;
  env: Record<string, string> | undefined;
  cleanup: (() => Promise<void>)[];
};

async function bringUp({
  dir,
  root,
  timers,
  banks,
  env,
  cleanup,
  ...choices
}: BringUp): Promise<Omit<System, "dir" | "stop">> {
  const log = (name: string) => join(dir, "logs", `${name}.log`);
  const identity = await createOperatorIdentity(join(dir, "operator-jwks.json"));
  const wires = choices.secured ? await createWires(dir) : undefined;
  const programs = await bundle(root);
  const servers = await startServers({ dir, programs, log, wires, banks, cleanup });
  const { postgres, nats, acquirer } = servers;
  cleanup.push(await keepStream(nats.port, wires));
  const certificates = await localCertificates(join(dir, "certificates"));
  const databaseUrls = await migratedDatabase(postgres.superuserUrl("postgres"), programs, log);
  const surroundings: Surroundings = {
    programs,
    dir,
    timers,
    databaseUrls,
    ports: { database: postgres.port, bus: nats.port },
    secrets: drawSecrets(),
    caFile: certificates.caFile,
    operatorEnv: identity.env,
    wires,
    env,
  };
  await plantAcquirer(postgres.superuserUrl(DATABASE), surroundings, acquirer.link.port);
  const created = await createServices(surroundings, choices);
  const { payments } = created;
  const services = servicesOf(created);
  for (const { process, links } of services) {
    cleanup.push(() => process.kill(), ...Object.values(links).map((link) => () => link.close()));
  }
  await Promise.all(services.map(({ process }) => process.start()));

  const operators = createOperators(join(dir, "operators.jsonl"), created, { ...identity, ca: wires?.ca });
  const open = (name: string) => openShop(name, { operators, certificates, cleanup });
  const shops: [Shop, Shop] = [await open("shop-1"), await open("shop-2")];
  return {
    ...created,
    settlementOwnerUrl: databaseUrls.settlement.owner,
    postgres,
    nats,
    acquirer,
    shops,
    ...(await withAccounts(servers.banks, { operators, shops, payments })),
    operators,
    secrets: surroundings.secrets,
    tokenOf: identity.tokenOf,
    wires,
    superuserUrl: postgres.superuserUrl(DATABASE),
    acquirerUrl: `http://127.0.0.1:${acquirer.port}`,
  };
}

async function createServices(
  surroundings: Surroundings,
  { withSettlement, withStaff }: Pick<BringUp, "withSettlement" | "withStaff">,
): Promise<Services> {
  return {
    gateways: await pair((name) => createGateway(name, surroundings), "gateway"),
    payments: await pair((name) => createPayments(name, surroundings), "payments"),
    refunds: await pair((name) => createRefunds(name, surroundings), "refunds"),
    webhooks: await pair((name) => createDispatcher(name, surroundings), "webhooks"),
    settlement: withSettlement
      ? await pair((name) => createSettlement(name, surroundings), "settlement")
      : [],
    staffApis: withStaff ? await pair((name) => createStaffApi(name, surroundings), "staff") : [],
  };
}

/** Processes read accounts when they start: from here on each of them has every account and route. */
async function withAccounts(
  banks: ForeignBank[],
  { operators, shops, payments }: Pick<System, "operators" | "shops" | "payments">,
): Promise<Pick<System, "banks" | "places">> {
  if (banks.length === 0) return { banks: [], places: {} };
  const people = { proposes: await operators.as("admin"), confirms: await operators.as("dina") };
  const { accountIds, places } = await openAccounts(people, banks, shops);
  await Promise.all(payments.map(({ process }) => process.restart()));
  return { banks: banks.map((bank) => ({ ...bank, accountId: accountIds[bank.name]! })), places };
}

function drawSecrets(): Surroundings["secrets"] {
  return {
    cardSealingKey: drawKey(),
    panFingerprintKey: drawKey(),
    credentialPepper: drawKey(),
    threeDsStateKey: drawKey(),
    webhookSecretKey: drawKey(),
    accountSecretKey: drawKey(),
    fileKey: drawKey(),
  };
}

type OpenShop = {
  operators: Operators;
  certificates: LocalCertificates;
  cleanup: (() => Promise<void>)[];
};

/** A merchant with a receiver of its own. */
async function openShop(name: string, { operators, certificates, cleanup }: OpenShop): Promise<Shop> {
  const receiver = await startLedgerReceiver({
    cert: readFileSync(certificates.certFile),
    key: readFileSync(certificates.keyFile),
    port: await nextPort(),
  });
  cleanup.push(() => receiver.close());
  return await onboardMerchant(await operators.as("admin"), { name, receiver });
}

async function pair<T>(create: (name: string) => Promise<T>, name: string): Promise<[T, T]> {
  return await Promise.all([create(`${name}-1`), create(`${name}-2`)]);
}

/** 32 bytes in base64. */
function drawKey(): string {
  return randomBytes(32).toString("base64");
}
