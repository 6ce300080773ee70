import { createHmac, randomBytes } from "node:crypto";
import { eventually } from "@holdfast/tests/support";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { afterEach, beforeEach, expect, test } from "vitest";
import { http } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { startTestPayments } from "../../test/test-payments.ts";
import { startTestRefunds } from "../../test/test-refunds.ts";

const pepper = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [P1, P2] = [pepper("p1"), pepper("p2")];

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof startTestPayments>>;
let refunds: Awaited<ReturnType<typeof startTestRefunds>>;
let merchant: TestMerchant;

/** A merchant whose secret is hashed under p1. */
beforeEach(async () => {
  gateway = await startTestGateway({ CREDENTIAL_PEPPERS: P1, CREDENTIAL_CACHE_TTL: "1ms" });
  payments = await startTestPayments(gateway.nats.url);
  refunds = await startTestRefunds(gateway.nats.url);
  merchant = await gateway.createMerchant();
});
afterEach(async () => {
  await refunds.stop();
  await payments.stop();
  await gateway.stop();
});

const asOwner = <Row>(statement: string) =>
  withClient(
    gateway.database.urls.gateway.owner,
    async (client) => (await client.query(statement)).rows as Row[],
  );

async function pepperOf({ apiKey }: TestMerchant): Promise<string> {
  const [row] = await asOwner<{ pepper_id: string }>(
    `select pepper_id from credential where api_key = '${apiKey}'`,
  );
  return row!.pepper_id;
}

/** Asks for a payment that is not there. */
const signIn = (ports: { merchant?: number }, { headers }: TestMerchant) =>
  http(ports.merchant!, { path: "/api/payment/0199aaaa-0000-7000-8000-000000000009", headers });

test("a sign-in moves its credential to the active pepper, and the old one can then leave", async () => {
  const rotated = await gateway.startAnother({ CREDENTIAL_PEPPERS: `${P2},${P1}` });
  expect(await pepperOf(merchant)).toBe("p1");
  await signIn(rotated, merchant);
  await eventually(async () => expect(await pepperOf(merchant)).toBe("p2"));
  expect((await signIn(rotated, merchant)).status).toBe(404);

  const alone = await gateway.startAnother({ CREDENTIAL_PEPPERS: P2 });
  expect((await signIn(alone, merchant)).status).toBe(404);
  expectProblem(
    await signIn(alone, { ...merchant, headers: { ...merchant.headers, "x-api-secret": "hs_wrong" } }),
    "unauthorized",
  );
});

test("a wrong secret and a revoked credential move nothing", async () => {
  const revoked = await gateway.createMerchant();
  const rotated = await gateway.startAnother({ CREDENTIAL_PEPPERS: `${P2},${P1}` });
  await asOwner(`update credential set revoked_at = now() where api_key = '${revoked.apiKey}'`);
  expectProblem(await signIn(rotated, revoked), "unauthorized");
  const wrong = { ...merchant, headers: { ...merchant.headers, "x-api-secret": `hs_${"A".repeat(43)}` } };
  expectProblem(await signIn(rotated, wrong), "unauthorized");
  // The work of an earlier sign-in is done when a later sign-in's is.
  const witness = await gateway.createMerchant();
  await signIn(rotated, witness);
  await eventually(async () => expect(await pepperOf(witness)).toBe("p2"));
  expect([await pepperOf(merchant), await pepperOf(revoked)]).toEqual(["p1", "p1"]);
});

test("without a pepper that credentials need the gateway does not start, and says how many there are", async () => {
  await gateway.createMerchant();
  const revoked = await gateway.createMerchant();
  await asOwner(`update credential set revoked_at = now() where api_key = '${revoked.apiKey}'`);
  await expect(gateway.startAnother({ CREDENTIAL_PEPPERS: P2 })).rejects.toThrow(
    "CREDENTIAL_PEPPERS lacks p1, which 2 credentials still need: put it back into the list, or give it up in KEYS_ABANDONED (docs/keys.md)",
  );
});

test("each listener that has the ring compares it", async () => {
  for (const listener of ["gateway-merchant", "gateway-operator"] as const) {
    const start = gateway.startListenerProcess(listener, { CREDENTIAL_PEPPERS: P2 });
    await expect(start, listener).rejects.toMatchObject({ code: "key_needed" });
  }
  await gateway.startListenerProcess("gateway-public", { CREDENTIAL_PEPPERS: "" });
});

test("a pepper that was given up is not asked for, and its credentials are refused with an error in the log", async () => {
  const without = await gateway.startAnother({ CREDENTIAL_PEPPERS: P2, KEYS_ABANDONED: "p1" });
  expectProblem(await signIn(without, merchant), "unauthorized");
  const errors = gateway.lines.filter(({ level }) => level === "error");
  expect(errors).toMatchObject([{ merchantId: merchant.merchantId, error: { code: "unknown_pepper" } }]);
});

test("the role that signs in replaces no hash without a proof of the secret", async () => {
  const key = Buffer.from(P1.slice("p1:".length), "base64");
  const proofOf = ({ apiSecret }: TestMerchant) => createHmac("sha256", key).update(apiSecret).digest();
  const replace = (of: TestMerchant, from: string, proof: Buffer | "what it reads" = proofOf(of)) =>
    withClient(gateway.database.urls.gateway.merchant, async (client) => {
      const given = proof === "what it reads" ? "secret_hash" : `'\\x${proof.toString("hex")}'`;
      const call = `select replace_secret_hash(api_key, $2, ${given}, 'p9', secret_hash) as replaced
        from credential where api_key = $1`;
      return ((await client.query(call, [of.apiKey, from])).rows as { replaced: boolean }[])[0]!.replaced;
    });
  expect(await replace(merchant, "p2")).toBe(false);
  expect(await replace(merchant, "p1", "what it reads")).toBe(false);
  expect(await replace(merchant, "p1", proofOf(await gateway.createMerchant()))).toBe(false);
  const revoked = await gateway.createMerchant();
  await asOwner(`update credential set revoked_at = now() where api_key = '${revoked.apiKey}'`);
  expect(await replace(revoked, "p1")).toBe(false);
  expect(await replace(merchant, "p1")).toBe(true);
  expect(await replace(merchant, "p9")).toBe(false);
});
