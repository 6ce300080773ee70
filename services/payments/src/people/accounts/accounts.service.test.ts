import { randomBytes, randomUUID } from "node:crypto";
import { CONNECTORS } from "@holdfast/banks";
import { operations, type AcquirerAccount } from "@holdfast/contracts";
import { armFailpoints } from "@holdfast/service-runtime";
import { freePort } from "@holdfast/sandbox/infrastructure";
import {
  eventually,
  startRawServer,
  startTestBank,
  type RawServer,
  type TestBank,
  TEST_ACCOUNT_ID,
} from "@holdfast/tests/support";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noteUse } from "../../bank/account/account-queries.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { accountOperators, resultOf, sealSecrets } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
let dir: string;
let other: TestBank;
let pool: Pool;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-accounts-"));
  other = await startTestBank(dir);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACCOUNT_REFRESH: "50ms",
    RECOVERY_SCHEDULE: "50ms,100ms,200ms",
    RECOVERY_INTERVAL: "20ms",
  });
  pool = new Pool({ connectionString: payments.database.urls.payments.app });
});
afterAll(async () => {
  await pool.end();
  await payments.close();
  await other.acquirer.close();
  await rm(dir, { recursive: true });
});

const { as, account, change, merchantRoutedTo } = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => other.acquirer.url,
);

async function pay(merchantId: string, given: object = {}) {
  const command = payments.command({ ofMerchant: merchantId, ...given });
  const reply = await payments.send(command, payments.context({ merchant: { merchantId } }));
  return { paymentId: command.paymentId, reply };
}

const accountOf = async (paymentId: string) =>
  (
    await payments.query<{ account_id: string }>(
      "select account_id from payments.payment where payment_id = $1",
      [paymentId],
    )
  )[0]?.account_id;
const at = async (bank: Pick<TestBank, "wholeLedger">, paymentId: string) =>
  (await bank.wholeLedger())
    .filter(({ reference }) => reference.startsWith(paymentId))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);

describe("an account", () => {
  test("is in use when another person has confirmed it, and the audit log names both", async () => {
    const made: AcquirerAccount = resultOf(await as("alice").make());
    expect(made).toMatchObject({ state: "PROPOSED", proposal: { version: 1, proposedBy: "alice" } });
    expect(JSON.stringify(made)).not.toContain('secrets":{');
    expect(await as("alice").confirm(made.accountId, 1)).toMatchObject({ code: "same_person" });
    expect(await as("bora").confirm(made.accountId, 2)).toMatchObject({ code: "nothing_to_confirm" });
    expect(await as("bora").confirm(made.accountId, 1)).toMatchObject({
      result: { state: "ACTIVE", version: 1 },
    });
    expect(await as("bora").confirm(made.accountId, 1)).toMatchObject({ code: "nothing_to_confirm" });
    expect(made).not.toHaveProperty("secretsSince");
    const audited = await payments.query(
      "select actor, action from payments.audit_entry where subject = $1 order by sequence",
      [made.accountId],
    );
    expect(audited).toEqual([
      { actor: "alice", action: "account.proposed" },
      { actor: "bora", action: "account.confirmed" },
    ]);
  });

  test.each<[string, object, string[]]>([
    ["of an unknown protocol", { protocol: "telex" }, ["protocol"]],
    ["whose settings lack one", { settings: {} }, ["settings.url"]],
    [
      "with settings and secrets nobody knows",
      { settings: { url: "http://b", x: 1 }, secrets: { y: 1 } },
      ["settings", "secrets"],
    ],
  ])("%s is refused, with every fault named", async (_, given, fields) => {
    const reply = await as("alice").make(given);
    expect(reply).toMatchObject({ code: "validation_failed" });
    const extra = reply.outcome === "problem" ? reply.extra : undefined;
    const { errors } = extra as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field)).toEqual(fields);
  });

  test("has a name of its own", async () => {
    const name = `twice ${randomUUID()}`;
    await as("alice").make({ name });
    expect(await as("alice").make({ name })).toMatchObject({ code: "acquirer_account_exists" });
    const another = await account();
    expect(await as("alice").change(another, { name })).toMatchObject({ result: { proposal: { name } } });
    expect(await as("bora").confirm(another, 2)).toMatchObject({ code: "acquirer_account_exists" });
  });

  test("says since when its credentials are in use, which a change of something else leaves", async () => {
    const accountId = await account();
    const since = async () =>
      resultOf(await payments.operate(operations.listAcquirerAccounts.command, { accountId })).items[0]!
        .secretsSince;
    const first = await since();
    expect(first).toBeDefined();
    await change(accountId, 2, { currencies: ["TRY", "EUR"] });
    expect(await since()).toBe(first);
    await as("alice").change(accountId, { secrets: {} });
    expect(await since()).toBe(first);
    await as("bora").confirm(accountId, 3);
    expect(await since()).not.toBe(first);
  });

  test("is probed: a bank that answers, one that is not there", async () => {
    const here = await account();
    const away = await account({ settings: { url: `http://127.0.0.1:${await freePort()}` } });
    expect(
      await payments.operate(operations.probeAcquirerAccount.command, { accountId: here }),
    ).toMatchObject({
      result: { result: "ok" },
    });
    expect(
      await payments.operate(operations.probeAcquirerAccount.command, { accountId: away }),
    ).toMatchObject({
      result: { result: "unreachable" },
    });
    expect(
      await payments.operate(operations.probeAcquirerAccount.command, { accountId: randomUUID() }),
    ).toMatchObject({
      code: "acquirer_account_not_found",
    });
  });

  test("is one of the list, and read alone", async () => {
    const accountId = await account();
    const { items } = resultOf(await payments.operate(operations.listAcquirerAccounts.command, {}));
    expect(items.map((each) => each.accountId)).toContain(accountId);
    expect(
      resultOf(await payments.operate(operations.listAcquirerAccounts.command, { accountId })).items,
    ).toHaveLength(1);
  });
});

describe("the credentials of an account", () => {
  const SECRETS = { apiUser: "apiuser", apiPassword: "s3cret-pass", storeKey: "TEST1234" };
  const OTHERS = { apiUser: "mallory", apiPassword: "of-her-own", storeKey: "OTHER1234" };
  let confirmed: RawServer;
  let elsewhere: RawServer;
  let accountId: string;
  beforeAll(async () => {
    [confirmed, elsewhere] = await Promise.all([
      startRawServer(() => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"),
      // A bank that sends its callers on.
      startRawServer(
        () =>
          `HTTP/1.1 307 Temporary Redirect\r\nlocation: ${confirmed.url}/next\r\ncontent-length: 0\r\n\r\n`,
      ),
    ]);
    accountId = await account({ protocol: "nestpay", settings: settingsAt(confirmed), secrets: SECRETS });
  });
  afterAll(() => Promise.all([confirmed.close(), elsewhere.close()]));

  const settingsAt = ({ url }: { url: string }) => ({
    apiUrl: `${url}/fim/api`,
    gateUrl: `${url}/fim/est3Dgate`,
    clientId: "990000001",
    mode: "T",
  });
  const probe = (given: object = {}) =>
    payments.operate(operations.probeAcquirerAccount.command, { accountId, ...given }, "carol");
  const probeProposal = async (version: number, secrets: object) =>
    await probe({ proposal: { version, ...(await sealSecrets(payments, accountId, secrets)) } });
  const audited = async () =>
    await payments.query<{ actor: string; detail: object }>(
      "select actor, detail::json from payments.audit_entry where subject = $1 and action = 'account.probed' order by sequence",
      [accountId],
    );

  test.each([
    [{ settings: () => settingsAt(elsewhere) }, ["settings.apiUrl", "settings.gateUrl"]],
    [
      { settings: () => ({ ...settingsAt(confirmed), gateUrl: `${elsewhere.url}/gate` }) },
      ["settings.gateUrl"],
    ],
  ])("have to be sent again with another address", async ({ settings }, named) => {
    expect(await as("carol").change(accountId, { settings: settings() })).toMatchObject({
      code: "validation_failed",
      extra: {
        errors: [
          {
            field: "secrets",
            code: "secrets_required",
            message: `must be sent again with another ${named.join(" and ")}`,
          },
        ],
      },
    });
  });

  test("reach the confirmed address alone while another one is proposed, and each probe is audited", async () => {
    const change = { settings: settingsAt(elsewhere), secrets: OTHERS };
    const { proposal } = resultOf(await as("carol").change(accountId, change));
    expect(await as("carol").confirm(accountId, proposal!.version)).toMatchObject({ code: "same_person" });
    expect(await probe()).toMatchObject({ result: { result: "unreachable" } });
    expect(confirmed.requests.join()).toContain(SECRETS.apiPassword);
    expect(elsewhere.requests).toEqual([]);
    expect(await audited()).toEqual([
      {
        actor: "carol",
        detail: expect.objectContaining({
          version: 1,
          proposal: false,
          host: new URL(confirmed.url).host,
          outcome: "unreachable",
        }) as object,
      },
    ]);
  });

  test("are its caller's where a proposal is probed, and follow no redirect", async () => {
    const before = confirmed.requests.length;
    const { proposal } = resultOf(
      await payments.operate(operations.listAcquirerAccounts.command, { accountId }),
    ).items[0]!;
    const { version } = proposal!;
    expect(await probeProposal(version + 1, OTHERS)).toMatchObject({ code: "nothing_to_confirm" });
    expect(await probeProposal(version, { apiUser: "x" })).toMatchObject({ code: "validation_failed" });
    expect(elsewhere.requests).toEqual([]);
    expect(await probeProposal(version, { ...OTHERS, apiPassword: "typed-in" })).toMatchObject({
      result: { result: "unreachable" },
    });
    expect(elsewhere.requests.join()).toContain("typed-in");
    for (const { apiPassword } of [SECRETS, OTHERS])
      expect(elsewhere.requests.join()).not.toContain(apiPassword);
    expect(confirmed.requests).toHaveLength(before);
    expect((await audited()).at(-1)).toMatchObject({
      actor: "carol",
      detail: { version, proposal: true, host: new URL(elsewhere.url).host, outcome: "unreachable" },
    });
  });

  test("are not used before a first version is confirmed", async () => {
    const made = resultOf(
      await as("alice").make({ protocol: "nestpay", settings: settingsAt(elsewhere), secrets: SECRETS }),
    );
    const asked = payments.operate(
      operations.probeAcquirerAccount.command,
      { accountId: made.accountId },
      "carol",
    );
    expect(await asked).toMatchObject({ code: "account_not_confirmed" });
    expect(elsewhere.requests.join()).not.toContain(SECRETS.apiPassword);
    const moved = { settings: settingsAt(confirmed) };
    expect(await as("carol").change(made.accountId, moved)).toMatchObject({ code: "validation_failed" });
  });
});

test("every protocol says which settings and credentials an account of it has", async () => {
  const { items } = resultOf(await payments.operate(operations.listAcquirerProtocols.command, {}));
  expect(items.map(({ protocol }) => protocol)).toEqual(expect.arrayContaining([...CONNECTORS.keys()]));
  expect(items.find(({ protocol }) => protocol === "iyzico")).toMatchObject({
    currencies: expect.arrayContaining(["TRY"]) as string[],
    settings: {
      required: ["url", "defaults"],
      properties: {
        locale: { enum: ["tr", "en"], default: "tr" },
        defaults: { properties: { address: { required: ["line1", "city", "country"] } } },
      },
    },
    secrets: { required: ["apiKey", "secretKey"] },
  });
});

test("an address that ACQUIRER_HOSTS does not name is refused when it is proposed", async () => {
  const outside = {
    code: "validation_failed",
    extra: { errors: [{ field: "settings.url", code: "not_allowed" }] },
  };
  const settings = { url: "http://127.0.0.2:1" };
  expect(await as("alice").make({ settings })).toMatchObject(outside);
  expect(await as("alice").change(await account(), { settings, secrets: {} })).toMatchObject(outside);
});

describe("a merchant's routes", () => {
  test("count when another person has confirmed them, and name accounts that there are", async () => {
    const accountId = await account();
    const merchantId = randomUUID();
    expect(await as("alice").route(merchantId, [{ accountId }])).toMatchObject({
      result: { routes: [], proposal: { version: 1, routes: [{ accountId }] } },
    });
    expect(await accountOf((await pay(merchantId)).paymentId)).toBe(TEST_ACCOUNT_ID);
    expect(await as("alice").confirmRoutes(merchantId, 1)).toMatchObject({ code: "same_person" });
    expect(await as("bora").confirmRoutes(merchantId, 1)).toMatchObject({ result: { version: 1 } });
    expect(await accountOf((await pay(merchantId)).paymentId)).toBe(accountId);
    expect(await as("alice").route(merchantId, [{ accountId }, { accountId: randomUUID() }])).toMatchObject({
      code: "validation_failed",
      extra: { errors: [{ field: "1.accountId" }] },
    });
    expect(await payments.operate(operations.getMerchantRoutes.command, { merchantId })).toMatchObject({
      result: { version: 1, routes: [{ accountId }] },
    });
  });

  test("send a payment and all that follows to its account, and nothing to another", async () => {
    const merchantId = await merchantRoutedTo({ currency: "TRY", accountId: await account() });
    const { paymentId, reply } = await pay(merchantId);
    expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    const captured = await payments.call(
      operations.capture.command,
      { paymentId, operationId: randomUUID() },
      { merchant: { merchantId } },
    );
    expect(captured).toMatchObject({ outcome: "done", result: { status: "CAPTURED" } });
    expect(await at(other, paymentId)).toEqual(["authorize approved", "capture approved"]);
    expect(await at(payments, paymentId)).toEqual([]);
  });

  test("send what is unknown to recovery at its own account", async () => {
    const merchantId = await merchantRoutedTo({ accountId: await account() });
    await other.acquirerWill("authorize", "hang");
    const { paymentId } = await pay(merchantId);
    const read = () =>
      payments.call(operations.getPayment.command, { paymentId }, { merchant: { merchantId } });
    await eventually(async () => {
      const reply = await read();
      return "result" in reply && reply.result.status === "SUCCESS";
    });
    expect(await at(other, paymentId)).toEqual(["authorize approved"]);
  });

  test("whose account takes no such payment refuse it, and nothing is stored", async () => {
    const accountId = await account({ currencies: ["EUR"] });
    const merchantId = await merchantRoutedTo({ accountId });
    const { paymentId, reply } = await pay(merchantId);
    expect(reply).toMatchObject({ outcome: "problem", code: "no_acquirer_account" });
    expect(await accountOf(paymentId)).toBeUndefined();
  });
});

describe("an account that changes", () => {
  test("keeps the terminal that a payment was sent to, also where the payment came after the proposal", async () => {
    const accountId = await account();
    const elsewhere = { settings: { url: payments.acquirer.url }, secrets: {} };
    expect(await as("alice").change(accountId, elsewhere)).toMatchObject({ outcome: "done" });
    const merchantId = await merchantRoutedTo({ accountId });
    const { paymentId } = await pay(merchantId);
    expect(await as("bora").confirm(accountId, 2)).toMatchObject({
      code: "terminal_in_use",
      detail: expect.stringContaining("settings.url"),
    });
    expect(await as("alice").change(accountId, elsewhere)).toMatchObject({ code: "terminal_in_use" });
    await change(accountId, 3, { settings: { url: other.acquirer.url, repetition: "none" } });
    const captured = payments.call(
      operations.capture.command,
      { paymentId, operationId: randomUUID() },
      { merchant: { merchantId } },
    );
    expect(await captured).toMatchObject({ outcome: "done", result: { status: "CAPTURED" } });
    expect(await at(payments, paymentId)).toEqual([]);
  });

  test("goes to another terminal while nothing was sent to it", async () => {
    const accountId = await account();
    await change(accountId, 2, { settings: { url: payments.acquirer.url }, secrets: {} });
    const { paymentId } = await pay(await merchantRoutedTo({ accountId }));
    expect(await at(payments, paymentId)).toEqual(["authorize approved"]);
  });

  test("sends no card under a version that was replaced before its first payment", async () => {
    const accountId = await account();
    const db = createDatabase<PaymentsDatabase>(pool);
    await change(accountId, 2, { settings: { url: payments.acquirer.url }, secrets: {} });
    expect(await noteUse(db, { accountId, version: 1 })).toBe(false);
    expect(await noteUse(db, { accountId, version: 2 })).toBe(true);
    await change(accountId, 3, { name: `renamed ${randomUUID()}` });
    expect(await noteUse(db, { accountId, version: 2 })).toBe(true);
    expect(await noteUse(db, { accountId, version: 1 })).toBe(false);
  });

  test("and is closed takes no new payment, and still captures", async () => {
    const accountId = await account();
    const merchantId = await merchantRoutedTo({ accountId });
    const { paymentId } = await pay(merchantId);
    await change(accountId, 2, { state: "CLOSED" });
    expect((await pay(merchantId)).reply).toMatchObject({ code: "no_acquirer_account" });
    const ofMerchant = { merchant: { merchantId } };
    const captured = payments.call(
      operations.capture.command,
      { paymentId, operationId: randomUUID() },
      ofMerchant,
    );
    expect(await captured).toMatchObject({ outcome: "done" });
  });
});

describe("a bank that cannot be reached", () => {
  test("is passed over for the next of the route; the payment is stored with that one, and charged once", async () => {
    const away = await account({ settings: { url: `http://127.0.0.1:${await freePort()}` } });
    const next = await account();
    const merchantId = await merchantRoutedTo({ accountId: away }, { accountId: next });
    const { paymentId, reply } = await pay(merchantId);
    expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    expect(await accountOf(paymentId)).toBe(next);
    expect(await at(other, paymentId)).toEqual(["authorize approved"]);
  });

  test("and whose process then vanishes is followed by another one at the account that was to be next", async () => {
    const away = await account({ settings: { url: `http://127.0.0.1:${await freePort()}` } });
    const next = await account();
    const merchantId = await merchantRoutedTo({ accountId: away }, { accountId: next });
    const hits = armFailpoints("payments.after_failover:hang@1");
    const command = payments.command({ ofMerchant: merchantId });
    void payments.send(command, payments.context({ merchant: { merchantId } })).catch(() => {});
    await eventually(() => hits("payments.after_failover") > 0);
    expect(await accountOf(command.paymentId)).toBe(next);
    await payments.query(
      "update payments.payment set lease_until = now(), recover_at = now(), created_at = now() - interval '1 hour' where payment_id = $1",
      [command.paymentId],
    );
    await eventually(async () => (await at(other, command.paymentId)).length > 0);
    expect(await at(other, command.paymentId)).toEqual(["reverse approved"]);
    expect(await at(payments, command.paymentId)).toEqual([]);
    armFailpoints(undefined);
  });

  test("and is the only one of the route ends the payment: the default account is not asked", async () => {
    const away = await account({ settings: { url: `http://127.0.0.1:${await freePort()}` } });
    const merchantId = await merchantRoutedTo({ accountId: away });
    const { paymentId, reply } = await pay(merchantId);
    expect(reply).toMatchObject({ outcome: "done", result: { status: "FAILED" } });
    expect(await at(payments, paymentId)).toEqual([]);
  });

  test("is not passed over once it may have got the payment", async () => {
    const merchantId = await merchantRoutedTo(
      { accountId: await account() },
      {
        accountId: await account({ settings: { url: payments.acquirer.url } }),
      },
    );
    await other.acquirerWill("authorize", "reset");
    const { paymentId } = await pay(merchantId);
    expect(await at(payments, paymentId)).toEqual([]);
  });
});

describe("a change that was made from an older version is refused, so that nobody overwrites another's unseen:", () => {
  const refused = { outcome: "problem", code: "changed_since_read" };
  const renamed = (version: number) => ({ version, name: `renamed ${randomUUID()}` });

  test("of an account, whose newest version may be a proposal", async () => {
    const accountId = await account();
    resultOf(await as("alice").change(accountId, renamed(1)));
    expect(await as("cem").change(accountId, renamed(1))).toEqual(refused);
    expect(await as("cem").change(accountId, { version: 1, state: "CLOSED" })).toEqual(refused);
    expect(await as("cem").change(accountId, renamed(3))).toEqual(refused);
    const together = await Promise.all(
      ["cem", "deniz"].map((name) => as(name).change(accountId, renamed(2))),
    );
    expect(together.filter(({ outcome }) => outcome === "problem")).toEqual([refused]);
    resultOf(await as("alice").change(accountId, { state: "NO_NEW_PAYMENTS" }));
  });

  test("of a merchant's routes, of which the first is made from none", async () => {
    const merchantId = randomUUID();
    const accountId = await account();
    resultOf(await as("alice").route(merchantId, [{ accountId }], 0));
    expect(await as("cem").route(merchantId, [], 0)).toEqual(refused);
    resultOf(await as("bora").confirmRoutes(merchantId, 1));
    const together = await Promise.all(["alice", "cem"].map((name) => as(name).route(merchantId, [], 1)));
    expect(together.filter(({ outcome }) => outcome === "problem")).toEqual([refused]);
    resultOf(await as("cem").route(merchantId, [{ accountId }]));
    const now = await payments.operate(operations.getMerchantRoutes.command, { merchantId });
    expect(resultOf(now)).toMatchObject({
      version: 1,
      proposal: { version: 3, proposedBy: "cem" },
    });
  });
});
