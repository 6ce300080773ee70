import { log, runSimulator, type BankConfig } from "./core/index.ts";
import { protocolNames, protocols } from "./protocols.ts";

const name = protocolNames.find((each) => each === process.argv[2]);
if (name === undefined) {
  log("error", `the first argument names a protocol: ${protocolNames.join(", ")}`, {});
  process.exitCode = 2;
} else {
  // Each starts with the configuration that it has read.
  const { readConfig, start } = await protocols[name]();
  await runSimulator<BankConfig>(readConfig, start);
}
