import { readFileSync } from "node:fs";
import { ConfigError } from "../settings/config.ts";

/** A provider that cannot be used. */
export function providerFault(name: string, reason: string): ConfigError {
  return new ConfigError([`KEY_PROVIDER: ${name} cannot be used: ${reason}`]);
}

/** @throws ConfigError */
export function readProviderFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw providerFault(name, (error as Error).message);
  }
}
