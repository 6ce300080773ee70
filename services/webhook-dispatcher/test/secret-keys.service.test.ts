import { randomBytes, randomUUIDv7 } from "node:crypto";
import { keysCommand } from "@holdfast/postgres";
import { eventually } from "@holdfast/tests/support";
import { afterEach, beforeEach, expect, test } from "vitest";
import { webhookKeys } from "../src/keys.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [K1, K2] = [key("k1"), key("k2")];

let harness: DispatcherHarness;

beforeEach(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "100ms" }, { start: false });
});
afterEach(() => harness.close());

const withRing = (WEBHOOK_SECRET_KEYS: string) => harness.start({ WEBHOOK_SECRET_KEYS });

/** `npm run keys` in the dispatcher's container. */
async function keys(ring: string, ...args: string[]): Promise<{ code: number; printed: string }> {
  let printed = "";
  const env = { ...harness.environment("webhook-dispatcher"), WEBHOOK_SECRET_KEYS: ring };
  const code = await keysCommand(webhookKeys, args, env, (text) => (printed += text));
  return { code, printed };
}

const statusOf = async (ring: string) => {
  const { rings } = JSON.parse((await keys(ring, "status", "--json")).printed) as {
    rings: { keys: { id: string; rows: number }[] }[];
  };
  return Object.fromEntries(rings[0]!.keys.map(({ id, rows }) => [id, rows]));
};

test("without a key that secrets need the dispatcher does not start, and says how many there are", async () => {
  const before = await withRing(K1);
  await harness.enable();
  await harness.enable();
  const off = await harness.enable();
  await harness.disable(off.merchantId);
  await before.stop();
  await expect(withRing(K2)).rejects.toThrow(
    "WEBHOOK_SECRET_KEYS lacks k1, which 2 webhook secrets still need: put it back into the list, or give it up in KEYS_ABANDONED (docs/keys.md)",
  );
});

test("reencrypt moves every secret to the first key beside a running dispatcher, and the old key leaves", async () => {
  const dispatcher = await withRing(`${K1},${K2}`);
  const merchants = [await harness.enable(), await harness.enable(), await harness.enable()];
  await dispatcher.stop();
  const rotated = await withRing(`${K2},${K1}`);
  expect(await statusOf(`${K2},${K1}`)).toEqual({ k2: 0, k1: 3 });
  expect(await keys(`${K2},${K1}`, "reencrypt")).toEqual({
    code: 0,
    printed: "3 endpoints' secrets encrypted again under k2\n",
  });
  expect(await statusOf(`${K2},${K1}`)).toEqual({ k2: 3, k1: 0 });
  await rotated.stop();

  await withRing(K2);
  const events = merchants.map(({ merchantId }) => newEvent({ merchantId }));
  await harness.publish(...events);
  await eventually(async () => {
    for (const { eventId } of events) expect((await harness.delivery(eventId)).status).toBe("delivered");
  });
  const audit = await harness.query<{ subject: string; detail: string }>(
    "select subject, detail from webhooks.audit_entry where action = 'webhook_secrets.reencrypted'",
  );
  expect(audit).toEqual([
    {
      subject: "WEBHOOK_SECRET_KEYS k2",
      detail: JSON.stringify({ endpoints: merchants.map(({ merchantId }) => merchantId).toSorted() }),
    },
  ]);
});

test("a run that was broken off is repeated, a waiting secret moves too, and a second run finds nothing", async () => {
  await withRing(`${K1},${K2}`);
  const merchants = Array.from({ length: 205 }, () => randomUUIDv7());
  const { merchantId } = await harness.enable();
  await harness.query(
    `insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id)
     select merchant, merchant, 'https://example.com', decode('00', 'hex') || substring(secret from 2), 'x'
     from webhooks.endpoint, unnest($1::uuid[]) as merchant where merchant_id = $2`,
    [merchants, merchantId],
  );
  await harness.query(
    "update webhooks.endpoint set next_secret = secret, next_version = 2, activates_at = now() where merchant_id = $1",
    [merchantId],
  );
  // All secrets but one are copies from other merchants, which no key opens, and must not stop any batch.
  const first = await keys(`${K2},${K1}`, "reencrypt");
  expect(first.code).toBe(1);
  expect(
    first.printed.split("\n").filter((line) => line.startsWith("no key of the ring opens")),
  ).toHaveLength(205);
  expect(first.printed).toContain("1 endpoints' secrets");
  await harness.query("delete from webhooks.endpoint where merchant_id = any($1::uuid[])", [merchants]);
  expect(await keys(`${K2},${K1}`, "reencrypt")).toEqual({
    code: 0,
    printed: "0 endpoints' secrets encrypted again under k2\n",
  });
  expect(await statusOf(`${K2},${K1}`)).toEqual({ k2: 2, k1: 0 });
});

test("status says what each key is needed for, and exits with 1 where one is missing", async () => {
  await withRing(K1);
  await harness.enable();
  expect(await keys(`${K2},${K1}`)).toEqual({
    code: 0,
    printed: [
      "WEBHOOK_SECRET_KEYS",
      "  k2           active   nothing needs it yet",
      "  k1                    1 webhook secrets need it",
      "",
    ].join("\n"),
  });
  const missing = await keys(K2, "status");
  expect(missing.code).toBe(1);
  expect(missing.printed).toContain("k1           MISSING  1 webhook secrets need it");
});

test("a command that is none is refused, and the help lists those there are", async () => {
  await expect(keys(K1, "rotate")).rejects.toMatchObject({ code: "usage" });
  expect((await keys(K1, "--help")).printed).toContain("reencrypt");
});
