import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBank, type Simulator } from "@holdfast/bank-simulator";
import { merchantsSchema } from "@holdfast/bank-simulator/nestpay";
import { operations } from "@holdfast/contracts";
import { keysCommand } from "@holdfast/postgres";
import { parseConfig } from "@holdfast/service-runtime";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { changeAccount, makeAccount as proposeAccount } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { configSchema } from "../../config.ts";
import { paymentsKeys } from "../../keys.ts";

const OLD = `a1:${randomBytes(32).toString("base64")}`;
const NEW = `a2:${randomBytes(32).toString("base64")}`;
const ring = (...keys: string[]) => ({
  ACCOUNT_SECRET_KEYS: keys.join(","),
  ACCOUNT_CHANGES_TWO_PEOPLE: "false",
});

const STORE = { clientId: "990000001", name: "apiuser", password: "a password", storeKey: "a store key" };
const SECRETS = { apiUser: STORE.name, apiPassword: STORE.password, storeKey: STORE.storeKey };

let dir: string;
let bank: Simulator;
let payments: PaymentsHarness;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-account-keys-"));
  bank = await startBank("nestpay", {
    ledgerFile: join(dir, "nestpay.ndjson"),
    merchants: merchantsSchema.parse([STORE]),
  });
});
afterAll(async () => {
  await bank.close();
  await rm(dir, { recursive: true });
});
beforeEach(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" }, { alone: true, account: null });
});
afterEach(() => payments.close());

type Settings = Record<string, string>;

/** Does the work while only a process with these settings runs. */
async function during<Result>(settings: Settings, work: () => Promise<Result>): Promise<Result> {
  const service = await payments.startAnother(settings);
  try {
    return await work();
  } finally {
    await service.stop();
  }
}

/** `npm run keys` in a container of payments. */
async function keys(settings: Settings, ...args: string[]): Promise<{ code: number; printed: string }> {
  let printed = "";
  const env = payments.environment("payments", settings);
  const code = await keysCommand(paymentsKeys, args, env, (text) => (printed += text));
  return { code, printed };
}

/** An account at the bank, in use. @returns its id. */
async function makeAccount(): Promise<string> {
  const made = await proposeAccount(
    payments,
    {
      protocol: "nestpay",
      name: `bank ${randomUUID()}`,
      currencies: ["TRY"],
      settings: {
        apiUrl: `${bank.url}/fim/api`,
        gateUrl: `${bank.url}/fim/est3Dgate`,
        clientId: STORE.clientId,
      },
      secrets: SECRETS,
    },
    "alice",
  );
  if (!("result" in made)) throw new Error(JSON.stringify(made));
  return made.result.accountId;
}

const change = (accountId: string, given: object) => changeAccount(payments, accountId, given, "alice");
const probe = async (accountId: string) =>
  await payments.operate(operations.probeAcquirerAccount.command, { accountId });
const status = async (settings: Settings) => (await keys(settings, "status")).printed;

test("credentials move to the new key while everything runs, and the old key may leave", async () => {
  const accountId = await during(ring(OLD), makeAccount);
  expect(await status(ring(NEW, OLD))).toMatch(
    /a2 +active +nothing needs it yet\n +a1 +1 accounts' credentials need it/,
  );
  await during(ring(NEW, OLD), async () => {
    expect(await keys(ring(NEW, OLD), "reencrypt")).toEqual({
      code: 0,
      printed: "1 accounts' credentials encrypted again under a2\n",
    });
    expect(await probe(accountId)).toMatchObject({ result: { result: "ok" } });
  });
  expect(await status(ring(NEW, OLD))).toMatch(/a1 +nothing needs it: it can be removed/);
  expect(await keys(ring(NEW, OLD), "reencrypt")).toMatchObject({ printed: expect.stringMatching(/^0 /) });
  await during(ring(NEW), async () => {
    expect(await probe(accountId)).toMatchObject({ result: { result: "ok" } });
  });
  const audited = await payments.query(
    "select actor, detail from payments.audit_entry where action = 'account.resealed' and subject = $1",
    [accountId],
  );
  expect(audited).toEqual([
    { actor: expect.stringMatching(/^keys \(.+\)$/), detail: '{"key":"a2","versions":[1]}' },
  ]);
});

test("a proposal moves, too, and what was replaced ends with its key", async () => {
  const accountId = await during(ring(OLD), async () => {
    const made = await makeAccount();
    await change(made, { secrets: SECRETS });
    return made;
  });
  await during({ ...ring(OLD), ACCOUNT_CHANGES_TWO_PEOPLE: "true" }, async () => {
    await change(accountId, { connectionsMax: 7 });
  });
  expect(await status(ring(NEW, OLD))).toMatch(/a1 +2 accounts' credentials need it/);
  await keys(ring(NEW, OLD), "reencrypt");
  await during(ring(NEW), async () => {
    expect(
      await payments.operate(operations.confirmAcquirerAccount.command, { accountId, version: 3 }, "bora"),
    ).toMatchObject({
      result: { version: 3, connectionsMax: 7 },
    });
    expect(await probe(accountId)).toMatchObject({ result: { result: "ok" } });
  });
});

test("without a key that credentials need payments does not start, and says what mends it", async () => {
  const accountId = await during(ring(OLD), makeAccount);
  const sentence =
    "ACCOUNT_SECRET_KEYS lacks a1, which 1 accounts' credentials still need: put it back into the list, or give it up in KEYS_ABANDONED (docs/keys.md)";
  await expect(payments.startAnother(ring(NEW))).rejects.toThrow(sentence);
  await expect(payments.startAnother({ ACCOUNT_SECRET_KEYS: "" })).rejects.toThrow(sentence);
  expect(await keys(ring(NEW), "status")).toMatchObject({ code: 1 });
  expect(await keys(ring(NEW), "reencrypt")).toEqual({
    code: 1,
    printed: `0 accounts' credentials encrypted again under a2\nno key of the ring opens the credentials of account ${accountId}\n`,
  });
  // The key is lost: operators enter the bank's credentials again, and then nothing needs the key.
  await during({ ...ring(NEW), KEYS_ABANDONED: "a1" }, async () => {
    await change(accountId, { secrets: SECRETS });
    expect(await probe(accountId)).toMatchObject({ result: { result: "ok" } });
  });
  await during(ring(NEW), async () => {});
});

test("without a ring there is nothing to encrypt under, and payments starts where there is no account", async () => {
  expect(await keys({ ACCOUNT_SECRET_KEYS: "" }, "reencrypt")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("ACCOUNT_SECRET_KEYS is not set"),
  });
  await during({ ACCOUNT_SECRET_KEYS: "" }, async () => {});
});

test("the ring is one of the service's settings", () => {
  const config = parseConfig(configSchema, payments.environment("payments", ring(NEW, OLD)));
  expect(config.ACCOUNT_SECRET_KEYS).toMatchObject({ activeId: "a2" });
});
