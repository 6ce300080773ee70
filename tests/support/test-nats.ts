import { rmSync } from "node:fs";
import { join } from "node:path";
import { startNatsServer, type NatsServer } from "@holdfast/sandbox/infrastructure";
import { inject } from "vitest";
import { startNatsContainer } from "./test-containers.ts";
import { makeTestDirectory } from "./test-directory.ts";

/** A nats-server of a test's own. */
export type TestNats = {
  url: string;
  /** Ends it as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port and with the same JetStream data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a nats-server for tests that run services, whose subjects are always the same, and for tests that
 * kill the server. It takes some 50 ms, in a container half a second. With a configuration file the server is
 * always a process of this machine, since the file names other files. It is one also if the tests use
 * external servers, which no test may kill.
 */
export async function startTestNats(options: { configFile?: string } = {}): Promise<TestNats> {
  const { backend, run } = inject("holdfast");
  if (backend === "containers" && !options.configFile) return startNatsContainer(run);
  const dir = makeTestDirectory();
  const start = (port?: number) =>
    startNatsServer({
      storeDir: join(dir, "store"),
      logFile: join(dir, "nats-server.log"),
      ...(port === undefined ? {} : { port }),
      ...options,
    });
  let server: NatsServer = await start();
  return {
    url: server.url,
    kill: async () => {
      server.kill();
      await server.exited;
    },
    restart: async () => {
      server = await start(server.port);
    },
    stop: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
