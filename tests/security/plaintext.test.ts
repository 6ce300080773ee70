import { randomBytes } from "node:crypto";
import { installationSchema, keepStreamSchema } from "@holdfast/installation";
import { migrationSchema } from "@holdfast/postgres";
import { ConfigError, parseConfig } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import type { z } from "zod";
import { configSchema as payments } from "../../services/payments/src/config.ts";
import { configSchema as refunds } from "../../services/refunds/src/config.ts";
import { configSchema as consoleSettings } from "../../services/console/src/config.ts";
import { configSchema as settlement } from "../../services/settlement/src/config.ts";
import { configSchema as dispatcher } from "../../services/webhook-dispatcher/src/config.ts";

const drawKey = () => randomBytes(32).toString("base64");
const WIRES = {
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://u:hunter2@db/x",
  NATS_URL: "nats://nats:4222",
};
const BANK = { ACQUIRER_HOSTS: "bank.example.com" };
const OPERATORS = {
  OPERATOR_JWKS: "http://login.example.com/jwks.json",
  OPERATOR_JWT_ISSUER: "https://login.example.com",
  OPERATOR_JWT_AUDIENCE: "holdfast",
};
const AUDIT = { AUDIT_ANCHOR_URL: "http://sink.example.com/heads" };
const SERVICE = { ...WIRES, ...OPERATORS, ...AUDIT };
const PAYMENTS = {
  ...SERVICE,
  ...BANK,
  CARD_SEALING_KEYS: `k1:${drawKey()}`,
  PAN_FINGERPRINT_KEYS: `k1:${drawKey()}`,
  FILE_KEYS: `k1:${drawKey()}`,
};
const MENDED = {
  DATABASE_URL: "postgres://u:hunter2@db/x?sslmode=verify-full",
  MIGRATION_DATABASE_URL: "postgres://u:hunter2@db/x?sslmode=verify-full",
  DATABASE_ADMIN_URL: "postgres://u:hunter2@db/x?sslmode=verify-full",
  NATS_URL: "tls://nats:4222",
  OPERATOR_JWKS: "https://login.example.com/jwks.json",
  AUDIT_ANCHOR_URL: "https://sink.example.com/heads",
  OPERATOR_API_URL: "https://gateway-operator:8081",
  OIDC_ISSUER: "https://login.example.com",
  CONSOLE_URL: "https://console.example.com",
};
const ALLOW_PLAINTEXT =
  "postgres,nats,acquirer,operator-jwks,audit-anchor,operator-api,identity-provider,console";
const passwords = Object.fromEntries(
  Object.keys(installationSchema.shape)
    .filter((name) => name.endsWith("_PASSWORD"))
    .map((name) => [name, "p"]),
);

type Case = { name: string; schema: z.ZodObject; env: Record<string, string>; refused: string[] };

/** The gateway's own test has its listeners, too: services/api-gateway/src/config.test.ts. */
const programs: Case[] = [
  {
    name: "payments",
    schema: payments,
    env: PAYMENTS,
    refused: ["DATABASE_URL", "NATS_URL", "OPERATOR_JWKS", "AUDIT_ANCHOR_URL"],
  },
  {
    name: "refunds",
    schema: refunds,
    env: SERVICE,
    refused: ["DATABASE_URL", "NATS_URL", "OPERATOR_JWKS", "AUDIT_ANCHOR_URL"],
  },
  {
    name: "webhook-dispatcher",
    schema: dispatcher,
    env: { ...SERVICE, WEBHOOK_SECRET_KEYS: `k1:${drawKey()}` },
    refused: ["DATABASE_URL", "NATS_URL", "OPERATOR_JWKS", "AUDIT_ANCHOR_URL"],
  },
  {
    name: "settlement",
    schema: settlement,
    env: { ...SERVICE, FILE_KEYS: `k1:${drawKey()}` },
    refused: ["DATABASE_URL", "NATS_URL", "OPERATOR_JWKS", "AUDIT_ANCHOR_URL"],
  },
  {
    name: "console",
    schema: consoleSettings,
    env: {
      HEALTH_PORT: WIRES.HEALTH_PORT,
      DATABASE_URL: WIRES.DATABASE_URL,
      CONSOLE_PORT: "8084",
      TLS_CERT_FILE: "tls.crt",
      TLS_KEY_FILE: "tls.key",
      CONSOLE_URL: "http://console.example.com",
      OPERATOR_API_URL: "http://gateway-operator:8081",
      OIDC_ISSUER: "http://login.example.com",
      OIDC_CLIENT_ID: "holdfast-console",
      CONSOLE_SESSION_KEYS: `k1:${drawKey()}`,
    },
    refused: ["DATABASE_URL", "OPERATOR_API_URL", "OIDC_ISSUER", "CONSOLE_URL"],
  },
  {
    name: "installation",
    schema: installationSchema,
    env: { ...passwords, DATABASE_ADMIN_URL: WIRES.DATABASE_URL, NATS_URL: WIRES.NATS_URL },
    refused: ["DATABASE_ADMIN_URL", "NATS_URL"],
  },
  {
    name: "the keeper of the event stream",
    schema: keepStreamSchema,
    env: { HEALTH_PORT: WIRES.HEALTH_PORT, NATS_URL: WIRES.NATS_URL },
    refused: ["NATS_URL"],
  },
  {
    name: "a migration",
    schema: migrationSchema,
    env: { MIGRATION_DATABASE_URL: WIRES.DATABASE_URL },
    refused: ["MIGRATION_DATABASE_URL"],
  },
];

test.each(programs)(
  "$name starts with no wire that anybody on the way can read",
  ({ schema, env, refused }) => {
    expect(faultsOf(schema, env)).toEqual(refused);
    const mended = Object.entries(MENDED).filter(([name]) => name in env);
    expect(faultsOf(schema, { ...env, ...Object.fromEntries(mended) })).toEqual([]);
    expect(faultsOf(schema, { ...env, ALLOW_PLAINTEXT })).toEqual([]);
  },
);

function faultsOf(schema: z.ZodObject, env: Record<string, string>): string[] {
  try {
    parseConfig(schema, env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map((fault) => fault.split(":")[0]!);
  }
}
