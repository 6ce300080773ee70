import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { Bank } from "./bank.ts";
import { BusinessDay } from "./business-day.ts";
import { ChallengeSessions } from "./challenge-sessions.ts";
import { defaultConfig, type SimulatorConfig } from "./config.ts";
import { FaultQueue } from "./fault-queue.ts";
import { Ledger } from "./ledger.ts";
import { log } from "./log.ts";
import { simulatorApi } from "./simulator-api.ts";
import { Teller } from "./teller.ts";

export type AcquirerSimulator = {
  /** The URL it listens on, without a slash at the end. */
  url: string;
  port: number;
  /** Settles when the ledger can no longer be written: every call is answered with HTTP 500 from then on. */
  failed: Promise<Error>;
  /** Accepts no further calls, lets the writes under way reach the disk, and cuts connections that are still open. */
  close(): Promise<void>;
};

/**
 * Starts a bank for development and tests on its own ledger file. `README.md` has its protocol and its test cards.
 * @throws LedgerCorruptError when the file is not a ledger
 */
export async function startAcquirerSimulator(
  options: Pick<SimulatorConfig, "ledgerFile"> & Partial<SimulatorConfig>,
): Promise<AcquirerSimulator> {
  const config = { ...defaultConfig, ...options };
  const bank = new Bank();
  const ledger = await Ledger.open(config.ledgerFile, (entry) => bank.apply(entry));
  const businessDay = await openOrClose(ledger, () => BusinessDay.open(config.ledgerFile, bank, ledger));
  const stopping = new AbortController();
  const modes = { bindsUnseen: config.bindsUnseen, repetition: config.repetition };
  const api = simulatorApi({
    teller: new Teller(bank, ledger, modes),
    ledger,
    businessDay,
    modes,
    faults: new FaultQueue(),
    sessions: new ChallengeSessions(),
    publicUrl: config.publicUrl,
    hangMs: config.hangMs,
    latenessMs: config.latenessMs,
    lateAfterMs: config.lateAfterMs,
    stopping: stopping.signal,
    onFailure: (error) => log("error", "a request failed", { error: errorCode(error) }),
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, api);
  server.maxConnections = config.connectionsMax;
  await openOrClose(ledger, async () => {
    server.listen(config.port, config.host);
    await once(server, "listening");
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    port,
    failed: ledger.failed,
    close: () => stop(server, ledger, stopping),
  };
}

/** A start that fails leaves no open ledger behind. */
async function openOrClose<Opened>(ledger: Ledger, start: () => Promise<Opened>): Promise<Opened> {
  try {
    return await start();
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function stop(server: Server, ledger: Ledger, stopping: AbortController): Promise<void> {
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
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Announced to clients in each answer, so that their pools close an idle connection before it is closed here. */
const KEEP_ALIVE_MS = 65_000;
