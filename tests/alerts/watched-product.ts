// The whole product in real processes, with links to bank, bus and database that can be cut, merchants who pay all the
// time and a Prometheus that watches.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { serviceDefinitions, type SandboxFile } from "@holdfast/sandbox";
import { TcpProxy } from "../chaos/system/tcp-proxy.ts";
import { preAuthorization, startProduct, type Client, type RunningSandbox } from "../e2e/running-sandbox.ts";
import { startLedgerReceiver, type LedgerReceiver } from "../support/index.ts";
import { startPrometheus, type Prometheus } from "./prometheus.ts";

export type WatchedProduct = {
  sandbox: RunningSandbox;
  prometheus: Prometheus;
  /** The links between the services and their dependencies. */
  links: Record<"bank" | "bus" | "database", TcpProxy>;
  /** The merchant's endpoint. */
  receiver: LedgerReceiver;
  services: string[];
  /** A process that no longer does anything; its port takes connections. */
  hang(service: string): void;
  /** Ends it as when its last pod is deleted: it does nothing, and discovery no longer knows it. */
  remove(service: string): void;
  /** Reverses `hang` and `remove`. */
  bringBack(service: string): void;
  /** Sets the request that merchants send from now on; undefined stops them. */
  send(request: ((merchant: Client) => Promise<unknown>) | undefined): void;
  stop(): Promise<void>;
};

/** @param by how many times faster the alerts' time passes. */
export async function startWatchedProduct(by: number): Promise<WatchedProduct> {
  const targets = { bank: 0, bus: 0, database: 0 };
  const links = {
    bank: await TcpProxy.start(() => targets.bank),
    bus: await TcpProxy.start(() => targets.bus),
    database: await TcpProxy.start(() => targets.database),
  };
  const sandbox = await startProduct({ services: linked(links, targets), settings: SETTINGS });
  const { file } = sandbox;
  targets.bank = Number(new URL(file.acquirerUrl).port);
  // The account has no payments yet, so its address may still change.
  const moved = await sandbox.operator()("PATCH", `/operator/acquirer-accounts/${file.accountId}`, {
    settings: { url: `http://127.0.0.1:${links.bank.port}` },
    secrets: {},
  });
  if (moved.status !== 200) throw new Error(`the account was not moved: ${moved.text}`);
  const { certFile, keyFile } = file.receiver;
  const receiver = await startLedgerReceiver({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  await sandbox.operator()("PUT", `/operator/merchants/${file.merchants[0]!.merchantId}/webhook`, {
    url: receiver.url,
  });
  const prometheus = await startPrometheus(by);
  const gone = new Set<string>();
  const discover = () =>
    prometheus.setTargets(
      Object.fromEntries(Object.entries(healthUrls(file)).filter(([name]) => !gone.has(name))),
    );
  discover();
  const load = startLoad(sandbox.merchant());
  const signal = (service: string, name: NodeJS.Signals) => process.kill(pidOf(sandbox, service), name);
  return {
    sandbox,
    prometheus,
    links,
    receiver,
    services: Object.keys(healthUrls(file)),
    hang: (service) => signal(service, "SIGSTOP"),
    remove(service) {
      signal(service, "SIGSTOP");
      gone.add(service);
      discover();
    },
    bringBack(service) {
      signal(service, "SIGCONT");
      gone.delete(service);
      discover();
    },
    send: (request) => load.send(request),
    async stop() {
      await load.stop();
      await prometheus.stop();
      for (const link of Object.values(links)) await link.heal();
      await sandbox.cleanUp();
      await receiver.close();
      for (const link of Object.values(links)) await link.close();
    },
  };
}

/** A bank that hangs is known to be one after three seconds, half a minute here; a measure is taken each second. */
const SETTINGS = {
  ACQUIRER_TIMEOUT: "3s",
  HANDLER_TIMEOUT: "6s",
  REQUEST_TIMEOUT: "8s",
  DATABASE_CONNECTION_TIMEOUT: "5s",
  UNRESOLVED_MEASURE_INTERVAL: "1s",
  QUEUE_MEASURE_INTERVAL: "1s",
};

function linked(links: WatchedProduct["links"], targets: Record<keyof WatchedProduct["links"], number>) {
  const through = (link: "bus" | "database", url: string) => {
    const changed = new URL(url);
    targets[link] = Number(changed.port);
    changed.port = String(links[link].port);
    return changed.href;
  };
  return serviceDefinitions.map((service) => ({
    ...service,
    databaseUrl: (urls: Parameters<typeof service.databaseUrl>[0]) =>
      through("database", service.databaseUrl(urls)),
    environment: (surroundings: Parameters<typeof service.environment>[0]) => {
      const own = service.environment(surroundings);
      return service.busUser === undefined ? own : { ...own, NATS_URL: through("bus", surroundings.natsUrl) };
    },
  }));
}

/** URLs by the names of the Deployments: the merchants' listener is a Deployment of its own. */
function healthUrls({ healthUrls: urls }: SandboxFile): Record<string, string> {
  const { "api-gateway": merchants, ...others } = urls;
  return { "gateway-merchant": merchants!, ...others };
}

/** The pid is read each time, because a process may have been started again. */
function pidOf({ home }: RunningSandbox, service: string): number {
  const { processes } = JSON.parse(readFileSync(join(home, "sandbox.json"), "utf8")) as SandboxFile;
  return processes[service === "gateway-merchant" ? "api-gateway" : service]!;
}

/**
 * Sends a request every quarter of a second, whatever the earlier ones do; a client waits for ten seconds.
 */
function startLoad(merchant: Client) {
  let request: ((client: Client) => Promise<unknown>) | undefined = pay;
  const stopping = new AbortController();
  const underway = new Set<Promise<unknown>>();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      if (request && underway.size < UNDERWAY_MAX) {
        const one = request(merchant).catch(() => undefined);
        underway.add(one);
        void one.then(() => underway.delete(one));
      }
      await delay(PAUSE_MS);
    }
  };
  const running = loop();
  return {
    send(next: ((client: Client) => Promise<unknown>) | undefined) {
      request = next;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const PAUSE_MS = 250;
const UNDERWAY_MAX = 100;

/** The request of merchants in normal operation. */
export async function pay(merchant: Client): Promise<unknown> {
  return await merchant("POST", "/api/pre-authorization", preAuthorization());
}
