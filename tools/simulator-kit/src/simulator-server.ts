import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Ledger, LedgerRow } from "./ledger.ts";

export type OpenLedger = Pick<Ledger<LedgerRow>, "failed" | "flushed" | "close">;

export type Simulator = {
  /** The URL it listens on, without a slash at the end. */
  url: string;
  port: number;
  /** Settles when the ledger can no longer be written: every call is answered with HTTP 500 from then on. */
  failed: Promise<Error>;
  /** Accepts no further calls, lets the writes under way reach the disk, and cuts connections that are still open. */
  close(): Promise<void>;
};

export type ServerOptions = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  connectionsMax: number;
  /** Aborted first when it closes: answers and effects that were to come late are dropped then. */
  stopping: AbortController;
};

/** Serves a bank that writes `ledger`, and closes the ledger with it or where it cannot listen. */
export async function startSimulatorServer(
  ledger: OpenLedger,
  handle: RequestListener,
  { host, port, connectionsMax, stopping }: ServerOptions,
): Promise<Simulator> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  server.maxConnections = connectionsMax;
  await openOrClose(ledger, async () => {
    server.listen(port, host);
    await once(server, "listening");
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    failed: ledger.failed,
    close: () => stop(server, ledger, stopping),
  };
}

/** A start that fails leaves no open ledger behind. */
export async function openOrClose<Opened>(ledger: OpenLedger, start: () => Promise<Opened>): Promise<Opened> {
  try {
    return await start();
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function stop(server: Server, ledger: OpenLedger, stopping: AbortController): Promise<void> {
  const closed = once(server, "close");
  stopping.abort();
  server.close();
  await ledger.flushed().catch(() => undefined);
  // The answers about entries that have just become durable are written in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  server.closeAllConnections();
  await closed;
  await ledger.close();
}

/** Returns only the code or the name: a message could quote what a client sent. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Announced to clients in each answer, so that their pools close an idle connection before it is closed here. */
const KEEP_ALIVE_MS = 65_000;
