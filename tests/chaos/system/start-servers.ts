import { join } from "node:path";
import type { Bundle } from "@holdfast/bundle";
import { startAcquirer, type AcquirerProcess } from "./acquirer.ts";
import { startForeignBank, type ForeignBank, type PlannedBank } from "./foreign-banks.ts";
import { nextPort } from "./port-block.ts";
import { startDurablePostgres, startNats, type RestartableServer } from "./restartable-server.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import type { Wires } from "./wires.ts";

/** Starts the servers that the services need, each as a process. */
export async function startServers({
  dir,
  programs,
  log,
  wires,
  banks,
  cleanup,
}: {
  dir: string;
  programs: Bundle;
  /** A program's log file. */
  log: (name: string) => string;
  wires: Wires | undefined;
  banks: readonly PlannedBank[];
  cleanup: (() => Promise<void>)[];
}) {
  const starting = [
    startDurablePostgres({ dataDir: join(dir, "postgres"), logFile: log("postgres") }),
    startNats({
      storeDir: join(dir, "nats"),
      logFile: log("nats-server"),
      ...(wires && { configFile: wires.configFile }),
    }),
    startAcquirer({
      command: [programs.simulators["bank-simulator"], "sim"],
      port: await nextPort(),
      ledgerFile: join(dir, "acquirer-ledger.ndjson"),
      logFile: log("acquirer"),
    }),
  ] as const;
  for (const each of starting) cleanup.push(async () => killOf(await each));
  const [postgres, nats, acquirer] = await Promise.all(starting);
  const link = await TcpProxy.start(acquirer.port);
  cleanup.push(() => link.close());
  const foreign: ForeignBank[] = [];
  for (const planned of banks) {
    const bank = await startForeignBank(planned, { dir, programs, log });
    cleanup.push(
      () => bank.process.kill(),
      () => bank.link.close(),
    );
    foreign.push(bank);
  }
  return { postgres, nats, acquirer: { ...acquirer, link }, banks: foreign };
}

async function killOf(server: RestartableServer | AcquirerProcess): Promise<void> {
  await ("process" in server ? server.process.kill() : server.kill());
}
