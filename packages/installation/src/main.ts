// Run once before the services start, and again whenever a password has changed: says what it did; exits 1 on failure.
import { parseConfig } from "@holdfast/service-runtime";
import { DatabaseError } from "pg";
import { configSchema } from "./config.ts";
import { install } from "./install.ts";

try {
  await install(parseConfig(configSchema, process.env));
  process.stdout.write("installation: database, schemas and roles are there, NATS answers\n");
} catch (error) {
  // A database error's message may repeat what it was sent, passwords among it: its code says enough.
  const { message, code } = error as Error & { code?: string };
  const reason = error instanceof DatabaseError ? `the database refused with SQLSTATE ${code}` : message;
  process.stderr.write(`installation: ${reason}\n`);
  process.exitCode = 1;
}
