import { setTimeout as delay } from "node:timers/promises";
import { startProgram } from "./programs.ts";

/** What the receiver prints when it listens. */
export type ReceiverPorts = { controlPort: number; ports: number[] };

/** How a port behaves: `silent` takes requests and never answers, `deaf` does not even answer new connections. */
export type Manner = "answers" | "silent" | "deaf";

/** `distinct` event ids by path; `requests` counts copies too. The time is of the shared clock. */
export type ReceiverState = { requests: number; distinct: Record<string, number>; lastAtUs: number };

/** The merchants' server, as a process of its own. */
export type Receiver = {
  pid: number;
  ports: number[];
  url(path: string, port?: number): string;
  state(): Promise<ReceiverState>;
  /** By event id, of the shared clock. */
  arrivals(): Promise<Map<string, number>>;
  /** Empties the ledger. */
  forget(): Promise<void>;
  behave(ports: number[], manner: Manner): Promise<void>;
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
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
      method: "POST",
      body: JSON.stringify(body ?? {}),
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
    arrivals: async () => new Map(Object.entries((await ask("/arrivals")) as Record<string, number>)),
    forget: async () => void (await ask("/forget")),
    behave: async (silenced, manner) => void (await ask("/behave", { ports: silenced, manner })),
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
