import { join } from "node:path";
import type { Bundle } from "@holdfast/bundle";
import type { BusUser } from "@holdfast/contracts";
import type { SchemaUrls } from "@holdfast/sandbox/infrastructure";
import { ManagedProcess } from "./managed-process.ts";
import { nextPort } from "./port-block.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import type { Timers } from "./timers.ts";
import type { Wires } from "./wires.ts";

/** The settings and connections of every process of a service. */
export type Surroundings = {
  programs: Bundle;
  dir: string;
  timers: Timers;
  ports: { database: number; bus: number };
  databaseUrls: SchemaUrls;
  secrets: Record<
    | "cardSealingKey"
    | "panFingerprintKey"
    | "credentialPepper"
    | "threeDsStateKey"
    | "webhookSecretKey"
    | "accountSecretKey"
    | "fileKey",
    string
  >;
  /** PEM of the authority that merchants' receivers have their certificates from. */
  caFile: string;
  operatorEnv: Record<string, string>;
  /** Settings of every process beside its own. */
  env?: Record<string, string> | undefined;
  /** The certificates and logins; without them the bus has no sign-in, and listeners use plain HTTP. */
  wires: Wires | undefined;
};

/** A process of a service, with a link of its own to each server it needs. */
export type ServiceProcess = {
  process: ManagedProcess;
  links: Record<LinkName, TcpProxy>;
  /** The service's user of the bus. */
  user: string;
  /** The URL with the service's role in the database. */
  databaseUrl: string;
};
export type LinkName = "database" | "bus";

/** A process for each listener: for merchants, for operators (`operator`) and for browsers (`pages`). */
export type Gateway = ServiceProcess & {
  operator: ServiceProcess;
  pages: ServiceProcess;
  merchantPort: number;
  operatorPort: number;
  publicUrl: string;
};

export async function createGateway(name: string, surroundings: Surroundings): Promise<Gateway> {
  const { secrets, databaseUrls } = surroundings;
  const [merchantPort, operatorPort, publicPort] = [await nextPort(), await nextPort(), await nextPort()];
  const publicUrl = `${surroundings.wires ? "https" : "http"}://127.0.0.1:${publicPort}`;
  const keys = {
    ...surroundings.wires?.listenerEnv,
    PUBLIC_URL: publicUrl,
    THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
    CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
  };
  const { gateway } = databaseUrls;
  const [merchant, operator, pages] = await Promise.all([
    createService({ name, user: "gateway-merchant", databaseUrl: gateway.merchant }, surroundings, {
      MERCHANT_API_PORT: `${merchantPort}`,
      ...keys,
      // The tests look for refusals for other reasons.
      RATE_LIMIT_PER_SECOND: "1000000",
    }),
    createService(
      { name: `${name}-operator`, user: "gateway-operator", databaseUrl: gateway.operator },
      surroundings,
      {
        OPERATOR_API_PORT: `${operatorPort}`,
        ...keys,
        REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "1000000",
        DEFAULT_MERCHANT_RULES: "off",
      },
    ),
    createService(
      { name: `${name}-public`, user: "gateway-public", databaseUrl: gateway.public },
      surroundings,
      {
        PUBLIC_PAGES_PORT: `${publicPort}`,
        ...keys,
        PAGE_REQUESTS_PER_MINUTE_PER_IP: "1000000",
      },
    ),
  ]);
  return { ...merchant, operator, pages, merchantPort, operatorPort, publicUrl };
}

/** The listener for merchants' staff. */
export type StaffApi = ServiceProcess & { port: number };

export async function createStaffApi(name: string, surroundings: Surroundings): Promise<StaffApi> {
  const { secrets, databaseUrls, wires } = surroundings;
  const port = await nextPort();
  const service = await createService(
    { name, user: "gateway-staff", databaseUrl: databaseUrls.gateway.staff },
    surroundings,
    {
      ...wires?.listenerEnv,
      STAFF_API_PORT: `${port}`,
      // No test pays by a payment link here.
      PUBLIC_URL: "https://pay.example.test",
      CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
      REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "1000000",
    },
  );
  return { ...service, port };
}

export async function createPayments(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  return await createService(
    { name, user: "payments", databaseUrl: surroundings.databaseUrls.payments.app },
    surroundings,
    {
      PAN_FINGERPRINT_KEYS: `0:${surroundings.secrets.panFingerprintKey}`,
      ACCOUNT_SECRET_KEYS: `k1:${surroundings.secrets.accountSecretKey}`,
      REFUND_TWO_APPROVERS_ABOVE: TWO_APPROVERS_ABOVE,
      FILE_KEYS: `k1:${surroundings.secrets.fileKey}`,
    },
  );
}

/**
 * Starts refunds, which is asked about every id that payments does not know, too: without its answer no
 * absence is conclusive.
 */
export async function createRefunds(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  return await createService(
    { name, user: "refunds", databaseUrl: surroundings.databaseUrls.refunds.app },
    surroundings,
    {},
  );
}

const TWO_APPROVERS_ABOVE = "TRY:20000.00,EUR:20000.00";
/** The amounts in minor units, for the checker. */
export const twoApproversAbove: Readonly<Record<string, bigint>> = { TRY: 2_000_000n, EUR: 2_000_000n };

export async function createDispatcher(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  return await createService(
    { name, user: "webhook-dispatcher", databaseUrl: surroundings.databaseUrls.webhooks.app },
    surroundings,
    {
      WEBHOOK_SECRET_KEYS: `k1:${surroundings.secrets.webhookSecretKey}`,
      WEBHOOK_CA_FILE: surroundings.caFile,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
      WEBHOOK_ALLOWED_PORTS: "any",
    },
  );
}

export async function createSettlement(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  return await createService(
    { name, user: "settlement", databaseUrl: surroundings.databaseUrls.settlement.app },
    surroundings,
    {
      FILE_KEYS: `k1:${surroundings.secrets.fileKey}`,
      FILE_CHANGES_TWO_PEOPLE: "false",
      FEED_INTERVAL: "1s",
      FACT_COMPARE_INTERVAL: "5s",
      MATCH_INTERVAL: "500ms",
    },
  );
}

async function createService(
  { name, user, databaseUrl: direct }: { name: string; user: BusUser; databaseUrl: string },
  { programs, dir, timers, ports, secrets, operatorEnv, wires, env: ofAll }: Surroundings,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const [database, bus, healthPort] = await Promise.all([
    TcpProxy.start(ports.database),
    TcpProxy.start(ports.bus),
    nextPort(),
  ]);
  const service = user.startsWith("gateway-") ? "gateway" : user;
  const databaseUrl = withPort(direct, database.port);
  const process = new ManagedProcess({
    name,
    command: [programs.holdfast, "run", service],
    env: {
      LISTEN_HOST: "127.0.0.1",
      HEALTH_PORT: `${healthPort}`,
      DATABASE_URL: databaseUrl,
      NATS_URL: `nats://127.0.0.1:${bus.port}`,
      ...wires?.busEnv(user),
      ACQUIRER_HOSTS: "127.0.0.1",
      ALLOW_SIMULATOR: "live",
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      DRAIN_TIMEOUT: "5s",
      // Failpoints are off in production.
      NODE_ENV: "test",
      ...operatorEnv,
      ...timers,
      ...ofAll,
      ...env,
    },
    logFile: join(dir, "logs", `${name}.log`),
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  });
  return { process, links: { database, bus }, user, databaseUrl };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = `${port}`;
  return changed.href;
}
