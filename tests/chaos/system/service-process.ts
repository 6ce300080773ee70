import { join } from "node:path";
import { ManagedProcess } from "./managed-process.ts";
import { nextPort } from "./port-block.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import type { Timers } from "./timers.ts";

/** What every process of a service is told and connected to. */
export type Surroundings = {
  root: string;
  dir: string;
  timers: Timers;
  ports: { database: number; bus: number; acquirer: number };
  databaseUrls: Record<"gateway" | "payments" | "refunds", { app: string }>;
  secrets: Record<"cardSealingKey" | "panFingerprintKey" | "credentialPepper" | "threeDsStateKey", string>;
  operatorEnv: Record<string, string>;
};

/** A process of a service, with a link of its own to each server it needs. */
export type ServiceProcess = { process: ManagedProcess; links: Record<LinkName, TcpProxy> };
export type LinkName = "database" | "bus" | "acquirer";

export type Gateway = ServiceProcess & { merchantPort: number; operatorPort: number; publicUrl: string };

export async function createGateway(name: string, surroundings: Surroundings): Promise<Gateway> {
  const { timers, secrets } = surroundings;
  const [merchantPort, operatorPort, publicPort] = [await nextPort(), await nextPort(), await nextPort()];
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  const service = await createService(name, "api-gateway", surroundings, {
    MERCHANT_API_PORT: `${merchantPort}`,
    OPERATOR_API_PORT: `${operatorPort}`,
    PUBLIC_PAGES_PORT: `${publicPort}`,
    PUBLIC_URL: publicUrl,
    THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
    CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
    HANDLER_TIMEOUT: timers.HANDLER_TIMEOUT,
    REQUEST_TIMEOUT: timers.REQUEST_TIMEOUT,
    // Refusals for other reasons are what is looked for.
    RATE_LIMIT_PER_SECOND: "1000000",
    PAGE_REQUESTS_PER_MINUTE_PER_IP: "1000000",
    ...surroundings.operatorEnv,
  });
  return { ...service, merchantPort, operatorPort, publicUrl };
}

export async function createPayments(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  const { timers, secrets } = surroundings;
  return await createService(name, "payments", surroundings, {
    PAN_FINGERPRINT_KEY: secrets.panFingerprintKey,
    ...timers,
  });
}

/** Asked for every id that payments does not know: without its answer nothing is conclusively not there. */
export async function createRefunds(name: string, surroundings: Surroundings): Promise<ServiceProcess> {
  return await createService(name, "refunds", surroundings, {
    ACQUIRER_TIMEOUT: surroundings.timers.ACQUIRER_TIMEOUT,
  });
}

async function createService(
  name: string,
  service: "api-gateway" | "payments" | "refunds",
  { root, dir, ports, databaseUrls, secrets }: Surroundings,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const [database, bus, acquirer, healthPort] = await Promise.all([
    TcpProxy.start(ports.database),
    TcpProxy.start(ports.bus),
    TcpProxy.start(ports.acquirer),
    nextPort(),
  ]);
  const { app } = databaseUrls[service === "api-gateway" ? "gateway" : service];
  const process = new ManagedProcess({
    name,
    main: join(root, "services", service, "src", "main.ts"),
    env: {
      LISTEN_HOST: "127.0.0.1",
      HEALTH_PORT: `${healthPort}`,
      DATABASE_URL: withPort(app, database.port),
      NATS_URL: `nats://127.0.0.1:${bus.port}`,
      ACQUIRER_URL: `http://127.0.0.1:${acquirer.port}`,
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      DRAIN_TIMEOUT: "5s",
      // Failpoints are off in production.
      NODE_ENV: "test",
      NODE_COMPILE_CACHE: join(dir, "compile-cache"),
      ...env,
    },
    logFile: join(dir, "logs", `${name}.log`),
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  });
  return { process, links: { database, bus, acquirer } };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = `${port}`;
  return changed.href;
}
