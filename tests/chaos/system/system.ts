/**
 * The whole system as it runs in production, as real processes: PostgreSQL, nats-server, the bank, two gateways, two
 * payments processes and one of refunds, with a link that can fail between each process and each server it needs.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  provisionDatabase,
  roleNames,
  runLogged,
  type RolePasswords,
  type SchemaUrls,
} from "@holdfast/sandbox/infrastructure";
import { startAcquirer, type AcquirerProcess } from "./acquirer.ts";
import { nextPort } from "./port-block.ts";
import { createOperatorIdentity, onboardMerchant, type Merchant } from "./onboard-merchant.ts";
import { startDurablePostgres, startNats, type RestartableServer } from "./restartable-server.ts";
import {
  createGateway,
  createPayments,
  createRefunds,
  type Gateway,
  type ServiceProcess,
  type Surroundings,
} from "./service-process.ts";
import type { Timers } from "./timers.ts";

export type System = {
  /** Logs, the bank's ledger and the client's history are here. */
  dir: string;
  gateways: [Gateway, Gateway];
  payments: [ServiceProcess, ServiceProcess];
  refunds: ServiceProcess;
  postgres: RestartableServer;
  nats: RestartableServer;
  acquirer: AcquirerProcess;
  merchant: Merchant;
  /** Past every link and every role: for the checker. */
  superuserUrl: string;
  acquirerUrl: string;
  /** Ends every process at once, and removes the directory, or keeps it under another name. */
  stop(options?: { keepAs?: string }): Promise<void>;
};

/** Every process of a service. */
export function servicesOf({ gateways, payments, refunds }: Services): ServiceProcess[] {
  return [...gateways, ...payments, refunds];
}

type Services = Pick<System, "gateways" | "payments" | "refunds">;

/** @param root the repository whose services and simulator run; another one than this for mutants. */
export async function startSystem({
  timers,
  root = process.env["HOLDFAST_SYSTEM_ROOT"] ?? thisRepository,
}: {
  timers: Timers;
  root?: string;
}): Promise<System> {
  // Of a test run that was killed the next one removes what is named like this (tests/support, test-directory.ts).
  const dir = mkdtempSync(join(tmpdir(), `holdfast-test-${process.pid}-chaos-`));
  // Under root PostgreSQL may have to run as another user, who must get through.
  chmodSync(dir, 0o711);
  const cleanup: (() => Promise<void>)[] = [];
  const stop = async ({ keepAs }: { keepAs?: string } = {}) => {
    await Promise.allSettled(cleanup.splice(0).map((end) => end()));
    if (keepAs === undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    else renameSync(dir, keepAs);
  };
  try {
    return { ...(await bringUp({ dir, root: resolve(root), timers, cleanup })), dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const thisRepository = join(import.meta.dirname, "..", "..", "..");

type BringUp = { dir: string; root: string; timers: Timers; cleanup: (() => Promise<void>)[] };

async function bringUp({ dir, root, timers, cleanup }: BringUp): Promise<Omit<System, "dir" | "stop">> {
  const log = (name: string) => join(dir, "logs", `${name}.log`);
  const identity = await createOperatorIdentity(join(dir, "operator-jwks.json"));
  const starting = [
    startDurablePostgres({ dataDir: join(dir, "postgres"), logFile: log("postgres") }),
    startNats({ storeDir: join(dir, "nats"), logFile: log("nats-server") }),
    startAcquirer({
      main: join(root, "tools", "acquirer-simulator", "src", "main.ts"),
      port: await nextPort(),
      ledgerFile: join(dir, "acquirer-ledger.ndjson"),
      logFile: log("acquirer"),
    }),
  ] as const;
  for (const each of starting) cleanup.push(async () => killOf(await each));
  const [postgres, nats, acquirer] = await Promise.all(starting);

  const databaseUrls = await migratedDatabase(postgres.superuserUrl("postgres"), root, log);
  const surroundings: Surroundings = {
    root,
    dir,
    timers,
    databaseUrls,
    ports: { database: postgres.port, bus: nats.port, acquirer: acquirer.port },
    secrets: {
      cardSealingKey: drawKey(),
      panFingerprintKey: drawKey(),
      credentialPepper: drawKey(),
      threeDsStateKey: drawKey(),
    },
    operatorEnv: identity.env,
  };
  const gateways = await pair((name) => createGateway(name, surroundings), "gateway");
  const payments = await pair((name) => createPayments(name, surroundings), "payments");
  const refunds = await createRefunds("refunds", surroundings);
  const services = servicesOf({ gateways, payments, refunds });
  for (const { process, links } of services) {
    cleanup.push(() => process.kill(), ...Object.values(links).map((link) => () => link.close()));
  }
  await Promise.all(services.map(({ process }) => process.start()));

  const operatorUrl = `http://127.0.0.1:${gateways[0].operatorPort}`;
  return {
    gateways,
    payments,
    refunds,
    postgres,
    nats,
    acquirer,
    merchant: await onboardMerchant(operatorUrl, identity.token),
    superuserUrl: postgres.superuserUrl(DATABASE),
    acquirerUrl: `http://127.0.0.1:${acquirer.port}`,
  };
}

async function killOf(server: RestartableServer | AcquirerProcess): Promise<void> {
  await ("process" in server ? server.process.kill() : server.kill());
}

async function pair<T>(create: (name: string) => Promise<T>, name: string): Promise<[T, T]> {
  return await Promise.all([create(`${name}-1`), create(`${name}-2`)]);
}

async function migratedDatabase(
  superuserUrl: string,
  root: string,
  log: (name: string) => string,
): Promise<SchemaUrls> {
  const passwords = Object.fromEntries(
    roleNames.map((role) => [role, randomBytes(18).toString("base64url")]),
  ) as RolePasswords;
  const urls = await provisionDatabase({ superuserUrl, database: DATABASE, passwords });
  await Promise.all(
    (["api-gateway", "payments", "refunds"] as const).map((service) =>
      runLogged({
        name: `${service}-migration`,
        command: [process.execPath, join(root, "services", service, "src", "migrate.ts")],
        env: {
          ...process.env,
          MIGRATION_DATABASE_URL: urls[service === "api-gateway" ? "gateway" : service].owner,
        },
        logFile: log(`${service}-migration`),
        timeoutMs: 60_000,
      }),
    ),
  );
  return urls;
}

const DATABASE = "holdfast";

/** 32 bytes in base64. */
function drawKey(): string {
  return randomBytes(32).toString("base64");
}
