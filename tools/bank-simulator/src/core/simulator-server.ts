import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Ledger, LedgerRow } from "./ledger.ts";
import { log } from "./log.ts";
import { replyJson } from "./reply.ts";

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

/** Answers one request. Where it rejects, the answer is HTTP 500, unless the client or the simulator has gone. */
export type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves a bank that writes `ledger`, and closes the ledger with it or where it cannot listen. */
export async function startSimulatorServer(
  ledger: OpenLedger,
  route: Route,
  { host, port, connectionsMax, stopping }: ServerOptions,
): Promise<Simulator> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    route(request, response).catch((error: unknown) => {
      // A client that closed the connection and a stop are ordinary ends of a request, not failures.
      const isOver = request.socket.destroyed || stopping.signal.aborted;
      if (!isOver) log("error", "a request failed", { error: errorCode(error) });
      if (isOver || response.headersSent) response.destroy();
      else replyJson(response, 500, { error: "internal_error" });
    });
  });
  server.maxConnections = connectionsMax;
  await openOrClose(ledger, async () => {
    // Without a host Node listens on every address; on machines without IPv6 on IPv4 alone.
    server.listen(port, host === "::" ? undefined : host);
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

/** A ledger and a second file, which fail, are flushed and are closed as one. */
export function together(ledger: OpenLedger, beside: OpenLedger): OpenLedger {
  return {
    failed: Promise.race([ledger.failed, beside.failed]),
    flushed: async () => {
      await Promise.all([ledger.flushed(), beside.flushed()]);
    },
    close: async () => {
      await Promise.all([ledger.close(), beside.close()]);
    },
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

/** Returns only the code or the name: a message could quote a client's request. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Announced to clients in each answer, so that their pools close an idle connection before it is closed here. */
const KEEP_ALIVE_MS = 65_000;
