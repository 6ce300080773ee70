import { durationSetting, textSetting, urlSetting } from "@holdfast/service-runtime";
import { z } from "zod";
import { roleNames, type RoleName, type RolePasswords } from "./provision-database.ts";

const passwordSettings = Object.fromEntries(
  roleNames.map((role) => [`${role.toUpperCase()}_PASSWORD`, textSetting(`must be the password of ${role}`)]),
) as Record<`${Uppercase<RoleName>}_PASSWORD`, z.ZodString>;

/** Environment variables of the installation, beside one password for each role: `PAYMENTS_APP_PASSWORD` and so on. */
export const configSchema = z.object({
  ...passwordSettings,
  /** As a role that may create roles and databases; any database of the server. */
  DATABASE_ADMIN_URL: urlSetting("postgres:", "postgresql:"),
  DATABASE_NAME: textSetting("must be the name of the product's database").default("holdfast"),
  /** A NATS server that has to answer, with JetStream on, before the services start. */
  NATS_URL: urlSetting("nats:", "tls:"),
  /** How long PostgreSQL and NATS may take until they answer. */
  INSTALLATION_TIMEOUT: durationSetting().default(60_000),
});
export type Config = z.infer<typeof configSchema>;

/** The passwords by role. */
export function passwordsOf(config: Config): RolePasswords {
  const settings: Record<string, unknown> = config;
  return Object.fromEntries(
    roleNames.map((role) => [role, settings[`${role.toUpperCase()}_PASSWORD`]]),
  ) as RolePasswords;
}
