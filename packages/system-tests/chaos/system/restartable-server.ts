import { startNatsServer, startPostgres } from "@holdfast/local-infrastructure";
import { nextPort } from "./port-block.ts";

/** A server that is killed as a power cut would, and started again on the same port and data. */
export type RestartableServer = { port: number; kill(): Promise<void>; restart(): Promise<void> };

type Started = { port: number; exited: Promise<unknown>; kill(): void };

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

export async function startNats(options: { storeDir: string; logFile: string }): Promise<RestartableServer> {
  const port = await nextPort();
  const start = () => startNatsServer({ ...options, port });
  return restartable(await start(), start);
}

function restartable(first: Started, start: () => Promise<Started>): RestartableServer {
  let server = first;
  return {
    port: first.port,
    async kill() {
      server.kill();
      await server.exited;
    },
    async restart() {
      server = await start();
    },
  };
}
