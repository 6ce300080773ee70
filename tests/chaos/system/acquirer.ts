import { ManagedProcess } from "./managed-process.ts";

/** The bank: a process whose ledger outlives it, and which can be told how to fail. */
export type AcquirerProcess = {
  process: ManagedProcess;
  port: number;
  /** Bends the next `times` calls of an operation (tools/acquirer-simulator/README.md, Queued faults). */
  queueFault(fault: { operation: string; behaviour: string; times: number }): Promise<void>;
  clearFaults(): Promise<void>;
  /** Settles what was captured or sold until now: it can only be refunded from then on. */
  closeBusinessDay(): Promise<void>;
};

export async function startAcquirer(options: {
  main: string;
  port: number;
  ledgerFile: string;
  logFile: string;
}): Promise<AcquirerProcess> {
  const { port } = options;
  const url = `http://127.0.0.1:${port}`;
  const process = new ManagedProcess({
    name: "acquirer",
    main: options.main,
    env: {
      SIMULATOR_HOST: "127.0.0.1",
      SIMULATOR_PORT: `${port}`,
      SIMULATOR_LEDGER_FILE: options.ledgerFile,
      SIMULATOR_LATENESS: "400ms",
      // Of what never expires: when nobody waits for it any more.
      SIMULATOR_LATE_AFTER: "2s",
      // Longer than anybody waits for an answer here, and short enough not to gather sockets.
      SIMULATOR_HANG: "30s",
    },
    logFile: options.logFile,
    readyUrl: `${url}/livez`,
  });
  await process.start();
  return {
    process,
    port,
    async queueFault(fault) {
      await call(`${url}/faults`, { method: "POST", body: JSON.stringify(fault) });
    },
    async clearFaults() {
      await call(`${url}/faults`, { method: "DELETE" });
    },
    async closeBusinessDay() {
      await call(`${url}/business-day/close`, { method: "POST" });
    },
  };
}

async function call(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}
