import { rmSync } from "node:fs";
import { join } from "node:path";
import { startNatsServer, startPostgres, type NatsServer } from "@holdfast/sandbox/infrastructure";
import { nextPort } from "./port-block.ts";

/** A server that is killed as a power cut would, and started again on the same port and data. */
export type RestartableServer = { port: number; kill(): Promise<void>; restart(): Promise<void> };

export type Started = { port: number; exited: Promise<unknown>; kill(): void };

/** Durable: a run in which it is killed claims that nothing acknowledged is lost. */
export async function startDurablePostgres(options: {
  dataDir: string;
  logFile: string;
}): Promise<RestartableServer & { superuserUrl(database: string): string }> {
  const port = await nextPort();
  const start = () => startPostgres({ ...options, port, durable: true });
  const first = await start();
  return { ...restartable(first, start), superuserUrl: (database) => first.superuserUrl(database) };
}

/**
 * @param options.configFile with users and TLS; without it every connection may do everything.
 * @returns with `wipe`, which takes all of JetStream's data while it is down, and `reload`, which has its configuration
 * and certificates read again.
 */
export async function startNats(options: {
  storeDir: string;
  logFile: string;
  configFile?: string;
}): Promise<RestartableServer & { wipe(): void; reload(): void }> {
  const port = await nextPort();
  let latest: NatsServer;
  const start = async () => (latest = await startNatsServer({ ...options, port }));
  return {
    ...restartable(await start(), start),
    wipe: () => rmSync(join(options.storeDir, "jetstream"), { recursive: true, force: true }),
    reload: () => void process.kill(latest.pid, "SIGHUP"),
  };
}

/** A kill during a start waits for its end: a server that is not there yet cannot be killed. */
export function restartable(first: Started, start: () => Promise<Started>): RestartableServer {
  let latest = Promise.resolve(first);
  return {
    port: first.port,
    async kill() {
      const server = await latest;
      server.kill();
      await server.exited;
    },
    async restart() {
      latest = start();
      await latest;
    },
  };
}
