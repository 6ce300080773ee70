import { parseConfig, urlSetting } from "@holdfast/service-runtime";
import { describeError } from "@holdfast/service-runtime";
import { failsAgain } from "./fails-again.ts";
import { migrate } from "./migrate.ts";
import { plaintextSettings, postgresWire, refusePlaintext } from "@holdfast/service-runtime";
import { z } from "zod";

/** Environment variables of a migration. */
export const migrationSchema = z
  .object({
    MIGRATION_DATABASE_URL: urlSetting("postgres:", "postgresql:").describe(
      "PostgreSQL, as the role that owns the service's schema.",
    ),
    ...plaintextSettings,
  })
  .check(
    refusePlaintext(({ MIGRATION_DATABASE_URL }) => [
      postgresWire("MIGRATION_DATABASE_URL", MIGRATION_DATABASE_URL),
    ]),
  );

/**
 * The command for each service's schema: `MIGRATION_DATABASE_URL=… holdfast migrate SERVICE`. It prints what
 * it ran and exits with 1 on failure, with 2 where another try would fail, too.
 */
export async function runMigrationCommand(schema: string, directory: string): Promise<void> {
  try {
    const config = parseConfig(migrationSchema, process.env);
    const ran = await migrate(config.MIGRATION_DATABASE_URL, schema, directory);
    process.stdout.write(`${schema}: ${ran.length === 0 ? "up to date" : `migrated ${ran.join(", ")}`}\n`);
  } catch (error) {
    process.stderr.write(
      `${schema}: ${error instanceof Error ? error.message : JSON.stringify(describeError(error))}\n`,
    );
    process.exitCode = failsAgain(error) ? 2 : 1;
  }
}
