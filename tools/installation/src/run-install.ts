import { EventStreamSettingsError } from "@holdfast/outbox";
import { failsAgain } from "@holdfast/postgres";
import { parseConfig } from "@holdfast/service-runtime";
import { DatabaseError } from "pg";
import { configSchema } from "./config.ts";
import { install } from "./install.ts";

/**
 * `holdfast install` runs before the services start, and again whenever a password has changed. It prints what it did and
 * exits with 1 on failure, with 2 where another try would fail, too.
 */
export async function runInstall(): Promise<void> {
  try {
    await install(parseConfig(configSchema, process.env));
    process.stdout.write("installation: database, schemas, roles and the event stream are ready\n");
  } catch (error) {
    // A database error's message may repeat the statement with its passwords; the code says enough.
    const { message, code } = error as Error & { code?: string };
    const reason = error instanceof DatabaseError ? `the database refused with SQLSTATE ${code}` : message;
    process.stderr.write(`installation: ${reason}\n`);
    process.exitCode = failsAgain(error) || error instanceof EventStreamSettingsError ? 2 : 1;
  }
  // A connection to a bus that did not answer in time is still trying.
  process.exit();
}
