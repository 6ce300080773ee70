import { randomBytes } from "node:crypto";
import { operations, type AcquirerAccount } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { createKeyedRecipient } from "@holdfast/sealing";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

/** Credentials of an account at a bank, as they cross the bus. */
const recipient = createKeyedRecipient(randomBytes(32));
const ACCOUNT_ID = "0199aaaa-0000-4000-8000-000000000001";
const ACCOUNT: AcquirerAccount = {
  accountId: ACCOUNT_ID,
  protocol: "nestpay",
  livemode: true,
  state: "PROPOSED",
  name: "Bank A",
  currencies: ["TRY"],
  businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" },
  lateArrivalSeconds: 900,
  connectionsMax: 64,
  default: false,
  settings: {},
  createdAt: "2026-11-22T09:00:00.000Z",
};
const SECRETS = { apiUser: "apiuser", apiPassword: "s3cret-pass", storeKey: "TEST1234" };

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof serveCommands>>;
let sealTo: string | undefined = recipient.publicKey;
const received: { sealedSecrets?: Parameters<typeof recipient.open>[0] | undefined }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await serveCommands(gateway.nats.url, "payments", [
    handler(operations.listAcquirerAccounts.command, async () => ({
      outcome: "done",
      result: { items: [], ...(sealTo !== undefined && { sealTo }) },
    })),
    handler(operations.createAcquirerAccount.command, async ({ payload }) => {
      received.push(payload);
      return { outcome: "done", result: ACCOUNT };
    }),
    handler(operations.probeAcquirerAccount.command, async ({ payload }) => {
      received.push(payload.proposal ?? {});
      return { outcome: "done", result: { result: "ok" as const } };
    }),
    handler(operations.changeAcquirerAccount.command, async ({ payload }) => {
      received.push(payload);
      return { outcome: "done", result: ACCOUNT };
    }),
  ]);
});
afterAll(async () => {
  await payments?.stop();
  await gateway?.stop();
});

const ask = (method: "POST" | "PATCH", path: string, body: object) =>
  gateway.operatorApi({ method, path: `/operator/acquirer-accounts${path}`, body: JSON.stringify(body) });

test("credentials cross the bus sealed to payments, for their account only", async () => {
  const { protocol, name, currencies } = ACCOUNT;
  const made = await ask("POST", "", { protocol, name, currencies, settings: {}, secrets: SECRETS });
  expect(made.status).toBe(201);
  expect((await ask("PATCH", `/${ACCOUNT_ID}`, { secrets: SECRETS })).status).toBe(200);
  const proposal = { version: 1, secrets: SECRETS };
  expect((await ask("POST", `/${ACCOUNT_ID}/probe`, { proposal })).status).toBe(200);
  const opened = received.map(({ sealedSecrets }) => JSON.parse(recipient.open(sealedSecrets!)) as object);
  expect(opened).toEqual([
    { for: name, secrets: SECRETS },
    { for: ACCOUNT_ID, secrets: SECRETS },
    { for: ACCOUNT_ID, secrets: SECRETS },
  ]);
  for (const secret of Object.values(SECRETS)) expect(JSON.stringify(received)).not.toContain(secret);
});

test("a change without credentials asks for no key, and without a key none are sent", async () => {
  received.length = 0;
  sealTo = undefined;
  expect((await ask("PATCH", `/${ACCOUNT_ID}`, { name: "Bank B" })).status).toBe(200);
  expect((await ask("PATCH", `/${ACCOUNT_ID}`, { secrets: SECRETS })).status).toBe(503);
  expect(received).toEqual([{ accountId: ACCOUNT_ID, change: { name: "Bank B" } }]);
});
