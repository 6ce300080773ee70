import { spawnSync } from "node:child_process";
import { serviceDefinitions } from "@holdfast/sandbox";
import { expect, test } from "vitest";
import { bareEnvironment } from "../support/bare-environment.ts";
import { holdfast } from "../support/holdfast.ts";

const SECRET = "hunter2-not-a-key";

/** Settings that are each malformed in another way; a value that could be a secret must not be printed. */
const MALFORMED = {
  LISTEN_HOST: "127.0.0.1",
  HEALTH_PORT: "70000",
  DATABASE_URL: `mysql://user:${SECRET}@host/db`,
  NATS_URL: `nats//user:${SECRET}@host`,
  LOG_LEVEL: "loud",
  DRAIN_TIMEOUT: "soon",
  OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
  OTEL_EXPORTER_OTLP_HEADERS: SECRET,
  OTEL_TRACES_SAMPLER_ARG: "2",
};
const OF_ALL = [
  "HEALTH_PORT: must be a whole number from 0 to 65535",
  "DATABASE_URL: must be a URL with postgres:// or postgresql://",
  "NATS_URL: must be nats://host:port, several separated by commas",
  "LOG_LEVEL: must be debug, info, warn or error",
  "DRAIN_TIMEOUT: must be a duration such as 250ms, 15s, 5m, 48h or 7d",
  "OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL with http:// or https://",
  "OTEL_EXPORTER_OTLP_HEADERS: must be name=value pairs separated by commas, percent-encoded",
  "OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1",
];
const OWN: Record<string, { env: Record<string, string>; faults: string[] }> = {
  "api-gateway": {
    env: { MERCHANT_API_PORT: "x", CARD_SEALING_KEYS: SECRET },
    faults: [
      "MERCHANT_API_PORT: must be a whole number from 0 to 65535",
      "CARD_SEALING_KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
    ],
  },
  "gateway-operator": {
    env: { OPERATOR_API_PORT: "x", CREDENTIAL_PEPPERS: SECRET },
    faults: [
      "OPERATOR_API_PORT: must be a whole number from 0 to 65535",
      "CREDENTIAL_PEPPERS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
    ],
  },
  "gateway-public": {
    env: { PUBLIC_PAGES_PORT: "x", THREE_DS_STATE_KEYS: SECRET },
    faults: [
      "PUBLIC_PAGES_PORT: must be a whole number from 0 to 65535",
      "THREE_DS_STATE_KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
    ],
  },
  "gateway-staff": {
    env: { STAFF_API_PORT: "x", CREDENTIAL_PEPPERS: SECRET },
    faults: [
      "STAFF_API_PORT: must be a whole number from 0 to 65535",
      "CREDENTIAL_PEPPERS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
    ],
  },
  payments: {
    env: { ACQUIRER_URL: "https://bank", PAN_FINGERPRINT_KEYS: SECRET },
    faults: [
      "ACQUIRER_URL is gone: make an account by POST /operator/acquirer-accounts, with `default` for all payments",
      "PAN_FINGERPRINT_KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
      "CARD_SEALING_KEYS is missing: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
      "ACQUIRER_HOSTS is missing: must be hosts and suffixes separated by commas, such as sanalpos.bank.example,.est3dgate.example",
    ],
  },
  refunds: {
    env: { REFUND_APPROVER_DAILY_MAX: "a lot" },
    faults: [
      "REFUND_APPROVER_DAILY_MAX: must be currency:amount pairs separated by commas, such as TRY:1000.00,EUR:200.00",
    ],
  },
  console: {
    env: { CONSOLE_SESSION_KEYS: SECRET, OIDC_ISSUER: "ftp://login" },
    faults: [
      "CONSOLE_SESSION_KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
      "OIDC_ISSUER: must be a URL with https:// or http://",
      "CONSOLE_URL is missing: must be a URL with https:// or http://",
    ],
  },
  settlement: {
    env: { FEED_INTERVAL: "often" },
    faults: ["FEED_INTERVAL: must be a duration such as 250ms, 15s, 5m, 48h or 7d, from 10ms to 1m"],
  },
  "webhook-dispatcher": {
    env: { WEBHOOK_ALLOWED_CIDRS: "everywhere", WEBHOOK_SECRET_KEYS: SECRET },
    faults: [
      "WEBHOOK_ALLOWED_CIDRS: must be ranges separated by commas, such as 10.0.0.0/8,fd00::/8",
      "WEBHOOK_SECRET_KEYS: must be id:key pairs separated by commas, each key 32 bytes in base64, each id used once",
    ],
  },
};

test.each(serviceDefinitions.map(({ name, program }) => ({ name, program })))(
  "$name stops at once at settings that are missing or malformed, and lists every fault",
  async ({ name, program }) => {
    const [node = "", ...command] = await holdfast("run", program);
    const { env, faults } = OWN[name]!;
    const { status, stdout, stderr } = spawnSync(node, command, {
      env: { ...bareEnvironment(), ...MALFORMED, ...env },
      encoding: "utf8",
      timeout: 240_000,
    });
    expect(status).toBe(1);
    const ofAll = OF_ALL.filter((fault) => name !== "console" || !fault.startsWith("NATS_"));
    for (const fault of [...ofAll, ...faults]) expect(stderr).toContain(`  ${fault}\n`);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);
