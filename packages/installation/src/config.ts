import {
  durationSetting,
  natsWire,
  plaintextSettings,
  postgresWire,
  refusePlaintext,
  textSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";
import { roleNames, type RoleName, type RolePasswords } from "./provision-database.ts";

const passwordSettings = Object.fromEntries(
  roleNames.map((role) => [
    `${role.toUpperCase()}_PASSWORD`,
    textSetting(`must be the password of ${role}`).describe(`The password that the role \`${role}\` gets.`),
  ]),
) as Record<`${Uppercase<RoleName>}_PASSWORD`, z.ZodString>;

const settings = z.object({
  ...passwordSettings,
  HOLDFAST_AUDITOR_PASSWORD: textSetting("must be the password of holdfast_auditor")
    .optional()
    .describe(
      "The password that the role `holdfast_auditor` gets, which may read the audit logs and nothing else. Without it nobody can sign in as that role.",
    ),
  DATABASE_ADMIN_URL: urlSetting("postgres:", "postgresql:").describe(
    "Any database of the server, as a role that may create roles and databases.",
  ),
  DATABASE_NAME: textSetting("must be the name of the product's database")
    .default("holdfast")
    .describe("The product's database, which is created when it is missing."),
  NATS_URL: urlSetting("nats:", "tls:").describe(
    "A NATS server that must answer, with JetStream on, before the services start.",
  ),
  INSTALLATION_TIMEOUT: durationSetting()
    .default(60_000)
    .describe("How long PostgreSQL and NATS may take until they answer."),
  ...plaintextSettings,
});

/** Environment variables of the installation, beside one password for each role: `PAYMENTS_APP_PASSWORD` and so on. */
export const configSchema = settings.check(
  refusePlaintext((settings) => [
    postgresWire("DATABASE_ADMIN_URL", settings.DATABASE_ADMIN_URL),
    natsWire(settings),
  ]),
);
export type Config = z.infer<typeof configSchema>;

/** The passwords by role. */
export function passwordsOf(config: Config): RolePasswords {
  const settings: Record<string, unknown> = config;
  return Object.fromEntries(
    roleNames.map((role) => [role, settings[`${role.toUpperCase()}_PASSWORD`]]),
  ) as RolePasswords;
}
