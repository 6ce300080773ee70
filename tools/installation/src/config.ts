import type { EventStreamSizes } from "@holdfast/outbox";
import {
  busSettings,
  commonSettings,
  durationSetting,
  integerSetting,
  natsWire,
  plaintextSettings,
  postgresWire,
  refusePlaintext,
  textSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";
import {
  appRoleNames,
  roleNames,
  secondLoginOf,
  type RoleName,
  type RolePasswords,
  type SecondLogin,
  type SecondPasswords,
} from "./database/provision-database.ts";

const passwordSettings = Object.fromEntries(
  roleNames.map((role) => [
    `${role.toUpperCase()}_PASSWORD`,
    textSetting(`must be the password of ${role}`).describe(`The password that the role \`${role}\` gets.`),
  ]),
) as Record<`${Uppercase<RoleName>}_PASSWORD`, z.ZodString>;

const secondPasswordSettings = Object.fromEntries(
  appRoleNames.map((role) => [
    `${secondLoginOf(role).toUpperCase()}_PASSWORD`,
    textSetting(`must be the password of ${secondLoginOf(role)}`)
      .optional()
      .describe(
        `The password of \`${secondLoginOf(role)}\`, the second login of \`${role}\`, while passwords are replaced. Without it nobody can sign in with it.`,
      ),
  ]),
) as Record<`${Uppercase<SecondLogin>}_PASSWORD`, z.ZodOptional<z.ZodString>>;

/** The installation's settings of the event stream. */
const eventStreamSettings = {
  EVENT_STREAM_REPLICAS: integerSetting(1, 5)
    .default(1)
    .describe("Copies of the event stream: 3 in production, 1 with a single NATS server."),
  EVENT_STREAM_BYTES_MAX: integerSetting(1_048_576, 999_999_999)
    .default(268_435_456)
    .describe(
      "The largest size of the event stream. Beyond it the oldest events are dropped; unconfirmed ones are published again.",
    ),
  WEBHOOK_ACK_WAIT: durationSetting({ min: "2s" })
    .default(3_000)
    .describe(
      "How long an event that a webhook-dispatcher has pulled may stay unacknowledged before the stream delivers it again: after this time another one gets what a dead one had pulled. A slow one says each second that it still has the event.",
    ),
};

const settings = z.object({
  ...passwordSettings,
  ...secondPasswordSettings,
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
  ...busSettings,
  NATS_USER: z
    .string()
    .optional()
    .describe(
      "The installation's own user on the bus: `installation`, which alone may change the event stream.",
    ),
  ...eventStreamSettings,
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

/** Environment variables of the program that makes the event stream again when it is gone. */
export const keepStreamSchema = z
  .object({
    ...busSettings,
    NATS_USER: z
      .string()
      .optional()
      .describe(
        "The keeper's own user on the bus: `stream-keeper`, which makes a lost event stream and changes none.",
      ),
    ...eventStreamSettings,
    LISTEN_HOST: commonSettings.LISTEN_HOST,
    HEALTH_PORT: commonSettings.HEALTH_PORT,
    LOG_LEVEL: commonSettings.LOG_LEVEL,
    ...plaintextSettings,
  })
  .check(refusePlaintext((settings) => [natsWire(settings)]));
export type KeepStreamConfig = z.infer<typeof keepStreamSchema>;

/** The event stream as the settings want it. */
export function eventStreamSizesOf(
  config: z.infer<z.ZodObject<typeof eventStreamSettings>>,
): EventStreamSizes {
  return {
    replicas: config.EVENT_STREAM_REPLICAS,
    bytesMax: config.EVENT_STREAM_BYTES_MAX,
    ackWaitMs: config.WEBHOOK_ACK_WAIT,
  };
}

/** The passwords of the second logins, as far as they are given. */
export function secondPasswordsOf(config: Config): SecondPasswords {
  return Object.fromEntries(
    appRoleNames.map((role) => {
      const login = secondLoginOf(role);
      return [login, config[`${login.toUpperCase() as Uppercase<SecondLogin>}_PASSWORD`]];
    }),
  );
}

/** The passwords by role. */
export function passwordsOf(config: Config): RolePasswords {
  const settings: Record<string, unknown> = config;
  return Object.fromEntries(
    roleNames.map((role) => [role, settings[`${role.toUpperCase()}_PASSWORD`]]),
  ) as RolePasswords;
}
