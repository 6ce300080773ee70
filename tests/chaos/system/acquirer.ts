import { bankEnvironment } from "@holdfast/sandbox/banks";
import { ManagedProcess } from "./managed-process.ts";

/** A bank: a process whose ledger outlives it, and which can be set to fail. */
export type AcquirerProcess = {
  process: ManagedProcess;
  port: number;
  /** Bends the next `times` calls of an operation (the simulator's README, Faults). */
  queueFault(fault: { operation: string; behaviour: string; times: number }): Promise<void>;
  clearFaults(): Promise<void>;
  /** Changes properties of the bank until they are changed again, or its process ends. */
  changeModes(modes: object): Promise<void>;
  /** Settles all captures and sales until now: they can only be refunded from then on. */
  closeBusinessDay(): Promise<void>;
};

export async function startAcquirer({
  port,
  ledgerFile,
  ...options
}: {
  command: string[];
  port: number;
  ledgerFile: string;
  logFile: string;
}): Promise<AcquirerProcess> {
  return await startBank({
    ...options,
    name: "acquirer",
    port,
    env: bankEnvironment("sim", bankSettings({ port, ledgerFile }, { LATE_AFTER: WHEN_NOBODY_WAITS })),
  });
}

/** The settings of every simulator. */
export function bankSettings(
  { port, ledgerFile }: { port: number; ledgerFile: string },
  own: Record<string, string>,
): Record<string, string> {
  return {
    PORT: `${port}`,
    LEDGER_FILE: ledgerFile,
    LATENESS: "400ms",
    // Longer than any call waits for an answer here, and short enough not to collect sockets.
    HANG: "30s",
    ...own,
  };
}

/** The time after which the bank drops requests without an `expiresAt`. */
const WHEN_NOBODY_WAITS = "2s";

/** Starts a simulator as a process. All of them get their faults in the same way. */
export async function startBank({
  port,
  ...program
}: {
  name: string;
  command: string[];
  port: number;
  env: Record<string, string>;
  logFile: string;
}): Promise<AcquirerProcess> {
  const url = `http://127.0.0.1:${port}`;
  const process = new ManagedProcess({ ...program, readyUrl: `${url}/livez` });
  await process.start();
  return {
    process,
    port,
    async queueFault({ operation, behaviour, times }) {
      await call(`${url}/faults`, { method: "POST", body: JSON.stringify({ operation, behaviour, times }) });
    },
    async clearFaults() {
      await call(`${url}/faults`, { method: "DELETE" });
    },
    async changeModes(modes) {
      await call(`${url}/modes`, { method: "PUT", body: JSON.stringify(modes) });
    },
    async closeBusinessDay() {
      await call(`${url}/business-day/close`, { method: "POST" });
    },
  };
}

async function call(url: string, init: RequestInit): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}
