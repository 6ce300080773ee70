import { once } from "node:events";

import { startAcquirerSimulator } from "./acquirer-simulator.ts";
import { ConfigError, readConfig, type SimulatorConfig } from "./config.ts";
import { log } from "./log.ts";

const config = configOrExit();
const simulator = await startAcquirerSimulator(config);
log("info", "listening", { host: config.host, port: simulator.port, url: simulator.url });

// A ledger that cannot be written ends the process: after a restart the state is rebuilt from the durable entries.
const ended = await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), simulator.failed]);
if (ended instanceof Error) {
  log("error", "the ledger cannot be written", { error: ended.message });
  process.exitCode = 1;
}
await simulator.close();
log("info", "stopped", {});

function configOrExit(): SimulatorConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log("error", error.message, {});
    return process.exit(1);
  }
}
