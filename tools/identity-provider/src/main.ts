import { once } from "node:events";
import { ConfigError, log } from "@holdfast/bank-simulator/core";
import { readConfig } from "./config.ts";
import { startIdentityProvider } from "./start-identity-provider.ts";

try {
  const provider = await startIdentityProvider(readConfig(process.env));
  log("info", "listening", { url: provider.issuer });
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await provider.close();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  log("error", error.message, {});
  process.exitCode = 1;
}
