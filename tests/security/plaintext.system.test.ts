// Programs that are started with plain text on one of their connections; plaintext.test.ts tests refused
// settings.
import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareEnvironment } from "../support/bare-environment.ts";
import { holdfast } from "../support/holdfast.ts";

const root = join(import.meta.dirname, "..", "..");
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
const SETTINGS = {
  ...WIRES,
  ...OPERATORS,
  ...AUDIT,
  ...BANK,
  CARD_SEALING_KEYS: `k1:${drawKey()}`,
  PAN_FINGERPRINT_KEYS: `k1:${drawKey()}`,
};

/** The end of a program that was started with these settings. */
async function run(program: string, env: Record<string, string>, args: string[] = []) {
  const [node = "", ...command] = await holdfast(...program.split(" "), ...args);
  return spawnSync(node, command, {
    env: { ...bareEnvironment(), ...env },
    encoding: "utf8",
    timeout: 240_000,
  });
}

test("the process ends before it has connected, and says which setting, without its value", async () => {
  const env = {
    ...SETTINGS,
    DATABASE_URL: "postgres://u:hunter2@db/x?sslmode=verify-full",
    NATS_URL: "tls://nats:4222",
    OPERATOR_JWKS: "https://login.example.com/jwks.json",
    FILE_KEYS: `k1:${drawKey()}`,
  };
  const { status, stderr } = await run("run payments", env);
  expect(status).toBe(1);
  expect(stderr).toContain(
    "  AUDIT_ANCHOR_URL: must be https://, unless ALLOW_PLAINTEXT names audit-anchor\n",
  );
  expect(stderr).not.toMatch(/hunter2|sink\.example\.com/);
});

test.each([
  ["keys payments", { DATABASE_URL: WIRES.DATABASE_URL }, "DATABASE_URL"],
  ["verify-audit", { AUDIT_DATABASE_URL: WIRES.DATABASE_URL }, "AUDIT_DATABASE_URL"],
  ["import-bins", { MIGRATION_DATABASE_URL: WIRES.DATABASE_URL }, "MIGRATION_DATABASE_URL"],
])("nor does %s send what it reads over a network in the open", async (program, env, setting) => {
  const bins = join(root, "services", "payments", "src", "accept", "bins", "shipped-bins.csv");
  const { status, stderr } = await run(
    program,
    {
      CARD_SEALING_KEYS: `k1:${drawKey()}`,
      PAN_FINGERPRINT_KEYS: `k1:${drawKey()}`,
      FILE_KEYS: `k1:${drawKey()}`,
      ...env,
    },
    program === "import-bins" ? [bins] : [],
  );
  expect(status).toBeGreaterThan(0);
  expect(stderr).toContain(`${setting}: must end in ?sslmode=verify-full`);
  expect(stderr).not.toContain("hunter2");
});

test.each([
  ["reconcile payments", ["DATABASE_URL", "NATS_URL"]],
  ["reconcile refunds", ["DATABASE_URL", "NATS_URL"]],
  ["compare-reservations", ["DATABASE_URL", "NATS_URL"]],
])("so does a command that is run by hand: %s", async (program, refused) => {
  const { status, stderr } = await run(program, { ...WIRES, ...BANK });
  expect(status).toBe(1);
  expect([...stderr.matchAll(/^  (\w+): must /gm)].map(([, setting]) => setting)).toEqual(refused);
  expect(stderr).not.toMatch(/hunter2|sink\.example\.com/);
});
