// Replaces every key by the steps of docs/keys.md while merchants, buyers and operators continue: nothing is
// refused.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OperatorClient } from "../chaos/client/operator-client.ts";
import { createOperatorKey, type OperatorKey } from "../chaos/system/operator-identity.ts";
import { startSystemUnderTest, type SystemUnderTest } from "../chaos/system-under-test.ts";
import { eventually } from "../support/index.ts";
import { BalancedGateways } from "./balanced-gateways.ts";
import { PATIENT, rollOutTo, startLoad } from "./rolling.ts";
import type { OperatorAt } from "./steady-load.ts";
import { holdfast } from "../support/holdfast.ts";

let sut: SystemUnderTest;
let gateways: BalancedGateways;
let operators: ReturnType<typeof identityProvider>;

beforeAll(async () => {
  sut = await startSystemUnderTest(PATIENT);
  gateways = new BalancedGateways(sut.system.gateways);
  operators = identityProvider();
});
afterAll(() => sut?.stop());

test("card sealing, 3-D Secure state, peppers, webhook secrets and fingerprints are replaced under load", async () => {
  const rings = ringsOf(sut.system.secrets);
  const load = startLoad(sut, gateways, operators.operatorAt);
  await load.ranFor(1);
  await rollOut(rings.added);
  await load.ranFor(1);
  await rollOut(rings.active);
  await load.ranFor(1);
  await load.pastRoundsOver();
  await reencrypt(rings.active);
  expect(await needs("gateway", rings.active, "CREDENTIAL_PEPPERS")).toEqual({ old: 1 });
  await signInOnce();
  await eventually(async () => {
    expect(await needs("gateway", rings.active, "CREDENTIAL_PEPPERS")).toEqual({ old: 0 });
  });
  expect(await needs("webhook-dispatcher", rings.active, "WEBHOOK_SECRET_KEYS")).toEqual({ old: 0 });
  expect((await needs("payments", rings.active, "PAN_FINGERPRINT_KEYS")).old).toBeGreaterThan(0);
  await asIfAWeekAgo();
  expect(await needs("payments", rings.active, "PAN_FINGERPRINT_KEYS")).toEqual({ old: 0 });
  await rollOut(rings.alone);
  await load.ranFor(1);
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(await unreadableSecrets()).toBe(0);
  await sut.check();
});

test("the operators' signing keys are replaced under load, and the old one is refused afterwards", async () => {
  const load = startLoad(sut, gateways, operators.operatorAt);
  await operators.publishNext();
  await load.ranFor(1);
  operators.signWithNext();
  await load.ranFor(1);
  await load.pastRoundsOver();
  operators.removeOld();
  await load.ranFor(1);
  await load.stop();
  expect(load.refused).toEqual([]);
  await sut.check();
});

/** A merchant that makes no payments signs in once: until then its credential needs the old pepper. */
async function signInOnce(): Promise<void> {
  const [, { merchant }] = sut.system.shops;
  const { merchantPort } = sut.system.gateways[0];
  const headers = { "x-api-key": merchant.apiKey, "x-api-secret": merchant.apiSecret };
  const path = `/api/payment/${merchant.merchantId}`;
  const { status } = await fetch(`http://127.0.0.1:${merchantPort}${path}`, { headers });
  expect(status).not.toBe(401);
}

/** One step in every process. */
const rollOut = (ring: Record<string, string>) => rollOutTo(sut.system, gateways, () => ring);

/** Each ring in the steps of docs/keys.md. */
function ringsOf(secrets: SystemUnderTest["system"]["secrets"]) {
  const olds = {
    CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
    THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
    CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
    WEBHOOK_SECRET_KEYS: `k1:${secrets.webhookSecretKey}`,
    FILE_KEYS: `k1:${secrets.fileKey}`,
    PAN_FINGERPRINT_KEYS: `0:${secrets.panFingerprintKey}`,
  };
  const pairs = Object.entries(olds).map(
    ([name, old]) => [name, old, `new:${randomBytes(32).toString("base64")}`] as const,
  );
  const step = (spell: (old: string, fresh: string) => string): Record<string, string> =>
    Object.fromEntries(pairs.map(([name, old, fresh]) => [name, spell(old, fresh)]));
  return {
    added: step((old, fresh) => `${old},${fresh}`),
    active: step((old, fresh) => `${fresh},${old}`),
    alone: step((_old, fresh) => fresh),
  };
}

type Ended = { status: number; stdout: string; stderr: string };

/**
 * Runs `holdfast keys` beside a service. This process keeps running meanwhile, since all other links go
 * through it.
 */
async function keys(service: string, ring: Record<string, string>, ...args: string[]): Promise<Ended> {
  const [node = "", ...program] = await holdfast("keys", service, ...args);
  const env = { ...process.env, ...ring, DATABASE_URL: sut.system.superuserUrl };
  return await new Promise((resolve) => {
    execFile(node, program, { env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** The checker compares the audit log with operators' changes, and this is one. */
async function reencrypt(ring: Record<string, string>): Promise<void> {
  expect(await keys("webhook-dispatcher", ring, "reencrypt")).toMatchObject({ status: 0 });
  sut.system.operators.history.add({
    operator: `keys (${userInfo().username})`,
    action: "webhook_secrets.reencrypted",
    subject: "WEBHOOK_SECRET_KEYS new",
    bytesSent: true,
    status: 200,
  });
}

/** The number of rows that need a key other than the first. */
async function needs(
  service: string,
  ring: Record<string, string>,
  setting: string,
): Promise<{ old: number }> {
  const { stdout, stderr } = await keys(service, ring, "status", "--json");
  if (stdout === "") throw new Error(stderr);
  const { rings } = JSON.parse(stdout) as {
    rings: { setting: string; keys: { active: boolean; rows: number }[] }[];
  };
  const old = rings.find((one) => one.setting === setting)!.keys.find(({ active }) => !active);
  return { old: old!.rows };
}

/** Idempotency-Keys live for 7 days: those made under the old key become too old to be compared. */
async function asIfAWeekAgo(): Promise<void> {
  await query(`
    update payments.pan_fingerprint_key
    set first_used_at = now() - interval '16 days', last_used_at = now() - interval '8 days' where key_id = '0'`);
}

async function unreadableSecrets(): Promise<number> {
  const [row] = await query<{ count: string }>(
    "select count(*) from webhooks.attempt where error = 'secret_unreadable'",
  );
  return Number(row!.count);
}

const query = <Row>(text: string): Promise<Row[]> =>
  withClient(sut.system.superuserUrl, async (client) => (await client.query(text)).rows as Row[]);

/** Takes over from the identity provider that the system was started with, and rotates its key. */
function identityProvider() {
  const file = join(sut.system.dir, "operator-jwks.json");
  const published = () => JSON.parse(readFileSync(file, "utf8")) as { keys: { kid: string }[] };
  let next: OperatorKey | undefined;
  let signs = false;
  const { history } = sut.system.operators;
  const operatorAt: OperatorAt = async (gateway) => {
    const ports = [sut.system.gateways[gateway]!.operatorPort];
    const token = await (signs ? next!.tokenOf("bora") : sut.system.tokenOf("bora"));
    return new OperatorClient({ name: "bora", token, ports, history });
  };
  return {
    operatorAt,
    async publishNext() {
      next = await createOperatorKey("next");
      writeFileSync(file, JSON.stringify({ keys: [...published().keys, next.jwk] }));
    },
    signWithNext: () => (signs = true),
    removeOld: () =>
      writeFileSync(file, JSON.stringify({ keys: published().keys.filter(({ kid }) => kid === "next") })),
  };
}
