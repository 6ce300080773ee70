import { once } from "node:events";

import { ConfigError, log, type BankConfig, type Simulator } from "./core/index.ts";
import { protocolNames, protocols } from "./protocols.ts";

const name = protocolNames.find((each) => each === process.argv[2]);
if (name === undefined) {
  log("error", `the first argument names a protocol: ${protocolNames.join(", ")}`, {});
  process.exitCode = 2;
} else {
  // Each starts with the configuration that it has read.
  const { readConfig, start } = await protocols[name]();
  await run<BankConfig>(readConfig, start);
}

/**
 * Runs a simulator until a signal ends it. Its first line on stdout is its address. A fault of its settings
 * is printed as one line and ends it with exit code 1.
 */
async function run<Config extends BankConfig>(
  readConfig: (environment: Record<string, string | undefined>) => Config,
  start: (config: Config) => Promise<Simulator>,
): Promise<void> {
  const config = configOrExit(readConfig);
  const simulator = await start(config);
  log("info", "listening", { host: config.host, port: simulator.port, url: simulator.url });
  // A ledger that cannot be written ends the process: after a restart the state is rebuilt from the durable entries.
  const ended = await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), simulator.failed]);
  if (ended instanceof Error) {
    log("error", "the ledger cannot be written", { error: ended.message });
    process.exitCode = 1;
  }
  await simulator.close();
  log("info", "stopped", {});
}

function configOrExit<Config>(readConfig: (environment: Record<string, string | undefined>) => Config) {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log("error", error.message, {});
    return process.exit(1);
  }
}
