import { createHash } from "node:crypto";
// Facts about the programs for the tests of the manifests, taken from their sources where these have them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { configSchema as gateway } from "../../services/api-gateway/src/config.ts";
import { configSchema as payments } from "../../services/payments/src/config.ts";
import { configSchema as refunds } from "../../services/refunds/src/config.ts";
import { configSchema as dispatcher } from "../../services/webhook-dispatcher/src/config.ts";
import { configSchema as settlement } from "../../services/settlement/src/config.ts";
import { configSchema as consoleSettings } from "../../services/console/src/config.ts";
import { gatewayKeys } from "../../services/api-gateway/src/keys.ts";
import { paymentsKeys } from "../../services/payments/src/keys.ts";
import { webhookKeys } from "../../services/webhook-dispatcher/src/keys.ts";
import { BUS_USERS, busLoginsOf } from "@holdfast/contracts";
import { appRoleNames, installationSchema, keepStreamSchema, secondLoginOf } from "@holdfast/installation";
import { passwordVariable } from "@holdfast/messaging";
import { reconcileSchema } from "@holdfast/outbox";
import { bankWaits } from "@holdfast/service-runtime";
import { deployDir } from "./build-overlay.ts";
import type { Deadlines } from "./policies/pods.ts";
import type { ConfigSchemas } from "./policies/settings.ts";

const text = z.string().min(1);
const postgresUrl = z.url({ protocol: /^postgres$/ });
const ownersSchema = z.object({ MIGRATION_DATABASE_URL: postgresUrl });
const keysSchema = (settings: z.ZodRawShape) => z.object({ DATABASE_URL: postgresUrl, ...settings });

export const configSchemas: ConfigSchemas = {
  "api-gateway": gateway,
  payments,
  refunds,
  "webhook-dispatcher": dispatcher,
  settlement,
  console: consoleSettings,
  migration: ownersSchema,
  "verify-audit": z.object({ AUDIT_DATABASE_URL: z.url({ protocol: /^postgres$/ }) }),
  "import-bins": ownersSchema,
  settle: ownersSchema,
  "reconcile-payments": reconcileSchema,
  "reconcile-refunds": reconcileSchema,
  "reconcile-settlement": reconcileSchema,
  "keys-gateway": keysSchema(gatewayKeys.settings),
  "keys-payments": keysSchema(paymentsKeys.settings),
  "keys-webhook-dispatcher": keysSchema(webhookKeys.settings),
  installation: installationSchema,
  "stream-keeper": keepStreamSchema,
  "acquirer-simulator": z.object({
    SIMULATOR_HOST: text,
    SIMULATOR_PORT: text,
    SIMULATOR_LEDGER_FILE: text,
    SIMULATOR_PUBLIC_URL: text.optional(),
  }),
};

/** A value of the form that the secret under this key has. */
export function sampleSecret(key: string): string {
  const drawn = createHash("sha256").update(key).digest("base64");
  if (/_(KEYS|PEPPERS)$/.test(key)) return `k1:${drawn}`;
  return key.endsWith("_KEY") ? drawn : "p0123456789abcdef";
}

const outboxConnections = numberIn("packages/outbox/src/outbox-pool.ts", /^const CONNECTIONS = (\d+)/m);

const listConnections = numberIn("packages/lists/src/list-pool.ts", /^const CONNECTIONS = (\d+)/m);

/** Pools in addition to the one of DATABASE_CONNECTIONS_MAX. */
export const extraConnections = {
  payments:
    numberIn("services/payments/src/connect-pools.ts", /^const WRITE_CONNECTIONS = (\d+)/m) +
    outboxConnections +
    listConnections,
  refunds: outboxConnections + listConnections,
  settlement: numberIn("services/settlement/src/service.ts", /^const OUTBOX_CONNECTIONS = (\d+)/m),
  "webhook-dispatcher": numberIn("services/webhook-dispatcher/src/service.ts", /connectionsMax: (\d+)/),
};

function numberIn(file: string, pattern: RegExp): number {
  const found = pattern.exec(readFileSync(join(deployDir, "..", file), "utf8"))?.[1];
  if (found === undefined) throw new Error(`${file} no longer says how many connections it takes`);
  return Number(found);
}

/** Which pods may read a key of the Secret `holdfast-secrets` or `postgres-admin`. */
export const holdersOfSecrets: Record<string, string[]> = {
  CARD_SEALING_KEYS: ["gateway-merchant", "gateway-public", "payments", "keys-payments"],
  THREE_DS_STATE_KEYS: ["gateway-merchant", "gateway-public"],
  CREDENTIAL_PEPPERS: ["gateway-merchant", "gateway-operator", "gateway-staff", "keys-gateway"],
  PAN_FINGERPRINT_KEYS: ["payments", "keys-payments"],
  ACCOUNT_SECRET_KEYS: ["payments", "keys-payments"],
  FILE_KEYS: ["payments", "settlement", "keys-payments"],
  WEBHOOK_SECRET_KEYS: ["webhook-dispatcher", "keys-webhook-dispatcher"],
  GATEWAY_MERCHANT_PASSWORD: ["installation", "gateway-merchant"],
  GATEWAY_OPERATOR_PASSWORD: ["installation", "gateway-operator", "keys-gateway"],
  GATEWAY_PUBLIC_PASSWORD: ["installation", "gateway-public"],
  GATEWAY_STAFF_PASSWORD: ["installation", "gateway-staff"],
  PAYMENTS_APP_PASSWORD: ["installation", "payments", "reconcile-payments", "keys-payments"],
  REFUNDS_APP_PASSWORD: ["installation", "refunds", "reconcile-refunds"],
  WEBHOOKS_APP_PASSWORD: ["installation", "webhook-dispatcher", "keys-webhook-dispatcher"],
  SETTLEMENT_APP_PASSWORD: ["installation", "settlement", "reconcile-settlement"],
  CONSOLE_APP_PASSWORD: ["installation", "console"],
  CONSOLE_SESSION_KEYS: ["console"],
  OIDC_CLIENT_PASSWORD: ["console"],
  ...Object.fromEntries(
    ["GATEWAY", "PAYMENTS", "REFUNDS", "WEBHOOKS", "SETTLEMENT", "CONSOLE"].map((schema) => [
      `${schema}_OWNER_PASSWORD`,
      ["installation", "migration"],
    ]),
  ),
  PAYMENTS_OWNER_PASSWORD: ["installation", "migration", "import-bins"],
  SETTLEMENT_OWNER_PASSWORD: ["installation", "migration", "settle"],
  HOLDFAST_AUDITOR_PASSWORD: ["installation", "verify-audit"],
  // Passwords of second logins: processes have them with the component `second-logins` only.
  ...Object.fromEntries(
    appRoleNames.map((role) => [`${secondLoginOf(role).toUpperCase()}_PASSWORD`, ["installation"]]),
  ),
  ...Object.fromEntries(BUS_USERS.map((user) => [passwordVariable(busLoginsOf(user)[1]).slice(1), ["nats"]])),
  NATS_PASSWORD_GATEWAY_MERCHANT: ["nats", "gateway-merchant"],
  NATS_PASSWORD_GATEWAY_OPERATOR: ["nats", "gateway-operator"],
  NATS_PASSWORD_GATEWAY_PUBLIC: ["nats", "gateway-public"],
  NATS_PASSWORD_GATEWAY_STAFF: ["nats", "gateway-staff"],
  NATS_PASSWORD_PAYMENTS: ["nats", "payments", "reconcile-payments"],
  NATS_PASSWORD_REFUNDS: ["nats", "refunds", "reconcile-refunds"],
  NATS_PASSWORD_WEBHOOK_DISPATCHER: ["nats", "webhook-dispatcher"],
  NATS_PASSWORD_SETTLEMENT: ["nats", "settlement", "reconcile-settlement"],
  NATS_PASSWORD_INSTALLATION: ["nats", "installation"],
  NATS_PASSWORD_STREAM_KEEPER: ["nats", "stream-keeper"],
  username: ["installation"],
  password: ["installation"],
};

export const natsConfig = readFileSync(join(deployDir, "nats", "cluster.conf"), "utf8");

/** The settings' defaults, which the manifests do not change. */
export const deadlines: Deadlines = {
  requestSeconds: bankWaits({ ACQUIRER_TIMEOUT: defaultOf(gateway, "ACQUIRER_TIMEOUT") }).requestMs / 1_000,
  drainSeconds:
    Math.max(
      ...[gateway, payments, refunds, dispatcher, settlement, consoleSettings].map((schema) =>
        defaultOf(schema, "DRAIN_TIMEOUT"),
      ),
    ) / 1_000,
  // The constants of each `service.ts` and of `runService`: 1 s for tasks, 2 for the bus, 1.5 for telemetry, 1 for the
  // log.
  closeSeconds: 6,
  natsSeconds: ["lame_duck_duration", "lame_duck_grace_period"]
    .map((name) => Number(new RegExp(`${name}: "(\\d+)s"`).exec(natsConfig)?.[1]))
    .reduce((sum, seconds) => sum + seconds, 0),
};

function defaultOf(schema: z.ZodObject, name: string): number {
  return z.parse(schema.shape[name] as z.ZodType<number>, undefined);
}
