// nats-server with JetStream on 127.0.0.1.
import { mkdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { natsGreeting } from "@holdfast/installation";
import { ChildFailedError, spawnLogged, type Exit, type LoggedChild } from "./child-process.ts";
import { withParentDeathSignal } from "./die-with-parent.ts";
import { findNatsServer } from "./find-nats-server.ts";
import { freePort } from "./free-port.ts";

/** A running nats-server. */
export type NatsServer = {
  url: string;
  port: number;
  pid: number;
  version: string;
  exited: Promise<Exit>;
  stop(options?: { withinMs?: number }): Promise<void>;
  kill(): void;
};

/**
 * Starts nats-server and resolves when it answers with JetStream on. `configFile` adds users, permissions and TLS; the
 * variables it names are taken from `environment`. Nothing but the client port is opened.
 */
export async function startNatsServer(options: {
  storeDir: string;
  logFile: string;
  port?: number;
  configFile?: string;
  environment?: Record<string, string>;
  onSpawn?: (child: LoggedChild) => void;
  log?: (line: string) => void;
}): Promise<NatsServer> {
  const program = await findNatsServer(options);
  mkdirSync(options.storeDir, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const address = [
      "--jetstream",
      "--store_dir",
      options.storeDir,
      "--addr",
      "127.0.0.1",
      "--port",
      `${port}`,
    ];
    const child = await spawnLogged({
      name: "nats-server",
      command: withParentDeathSignal("TERM", [
        program,
        ...address,
        ...(options.configFile ? ["--config", options.configFile] : []),
      ]),
      env: { PATH: process.env.PATH, ...options.environment },
      logFile: options.logFile,
    });
    options.onSpawn?.(child);
    try {
      const { version } = await answers(child, port);
      return handle(child, port, version);
    } catch (error) {
      await child.stop();
      const drawnPortWasTaken =
        options.port === undefined && child.logTail().includes("address already in use");
      if (!drawnPortWasTaken || attempt === attemptsMax) throw error;
    }
  }
}

const attemptsMax = 5;

function handle(child: LoggedChild, port: number, version: string): NatsServer {
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    version,
    exited: child.exited,
    stop: async (options) => void (await child.stop(options)),
    kill: () => child.kill("SIGKILL"),
  };
}

async function answers(child: LoggedChild, port: number): Promise<{ version: string }> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (!child.isRunning()) throw new ChildFailedError(child, "stopped while starting");
    const greeting = await natsGreeting(`nats://127.0.0.1:${port}`);
    // The server may greet before JetStream has read its files.
    if (greeting?.jetstream) return greeting;
    if (Date.now() > deadline)
      throw new ChildFailedError(child, `did not answer within ${startTimeoutMs} ms`);
    await delay(10);
  }
}

const startTimeoutMs = 120_000;
