import { setTimeout as delay } from "node:timers/promises";
import { startProgram } from "./programs.ts";

/** The receiver's first output, once it listens. */
export type ReceiverPorts = { controlPort: number; ports: number[] };

/** `distinct` event ids by path; `requests` counts copies too. The time is of the shared clock. */
export type ReceiverState = { requests: number; distinct: Record<string, number>; lastAtUs: number };

/** The merchants' server, as a process of its own. */
export type Receiver = {
  pid: number;
  ports: number[];
  url(path: string, port?: number): string;
  state(): Promise<ReceiverState>;
  /** Empties the ledger. */
  forget(): Promise<void>;
  /** @returns whether so many distinct events have come under the path in time. */
  hasReceived(path: string, count: number, timeoutMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

export async function startReceiver(options: {
  certFile: string;
  keyFile: string;
  ports: number;
}): Promise<Receiver> {
  const { certFile, keyFile, ports: count } = options;
  const args = [`--cert=${certFile}`, `--key=${keyFile}`, `--ports=${count}`];
  const program = await startProgram<ReceiverPorts>("receiver.ts", { args });
  const { controlPort, ports } = program.first;
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
      method: "POST",
      signal: AbortSignal.timeout(CONTROL_TIMEOUT_MS),
    });
    return response.json();
  };
  const state = async () => (await ask("/state")) as ReceiverState;
  return {
    pid: program.pid,
    ports,
    url: (path, port = ports[0]!) => `https://localhost:${port}${path}`,
    state,
    forget: async () => void (await ask("/forget")),
    async hasReceived(path, wanted, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        if (((await state()).distinct[path] ?? 0) >= wanted) return true;
        if (performance.now() > deadline) return false;
        await delay(POLL_MS);
      }
    },
    stop: () => program.stop(),
  };
}

const CONTROL_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
