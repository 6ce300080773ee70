import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { operations, takeBankNotification } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { captureLog, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { accountOperators } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { postpone } from "../../payment/payment-lease.ts";

/** The schedule asks a day after the claim: any inquiry before that is a notification's. */
let payments: PaymentsHarness;
let account: string;
let merchant: string;
const KEY = "key-of-the-account-s-notifications";
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  payments = await startPaymentsHarness(
    {
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      ACCOUNT_REFRESH: "50ms",
      RECOVERY_SCHEDULE: "24h",
      RECOVERY_INTERVAL: "20ms",
    },
    { log: () => log },
  );
  account = await operators.account({ secrets: { notificationKey: KEY } });
  merchant = await operators.merchantRoutedTo({ accountId: account });
});
afterAll(() => payments.close());

const operators = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => payments.acquirer.url,
);

async function notify(
  reference: string,
  { accountId = account, key = KEY, headers }: { accountId?: string; key?: string; headers?: object } = {},
) {
  const body = Buffer.from(JSON.stringify({ reference, outcome: "approved" }));
  const signature = createHmac("sha256", key).update(body).digest("hex");
  const reply = await payments.askAsGateway(takeBankNotification, {
    accountId,
    headers: { "x-sim-signature": signature, ...headers },
    body: body.toString("base64"),
  });
  return "result" in reply ? reply.result.isGenuine : reply;
}

/** A sale that the bank has accepted, and that no inquiry asks about. */
async function acceptedSale(): Promise<string> {
  await payments.acquirerWill("sale", "pending");
  const command = payments.command({ ofMerchant: merchant, cardData: { pan: "5555555555554444" } });
  const context = payments.context({ merchant: { merchantId: merchant } });
  expect(await payments.call(operations.pay.command, command, context)).toMatchObject({ outcome: "pending" });
  return command.paymentId;
}

async function decide(reference: string, outcome: "approved" | "declined"): Promise<void> {
  const { status } = await fetch(`${payments.acquirer.url}/decisions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reference, outcome }),
  });
  expect(status).toBe(200);
}

type Row = {
  state: string;
  attempts: number;
  due_in: number | null;
  rest: number | null;
  is_noted: boolean;
  is_leased: boolean;
};
async function row(paymentId: string): Promise<Row> {
  const [found] = await payments.query<Row>(
    `select state, recovery_attempts as attempts, extract(epoch from recover_at - now())::float8 as due_in,
       extract(epoch from recover_at - updated_at)::float8 as rest, notified_at is not null as is_noted, coalesce(lease_until > now(), false) as is_leased
     from payments.payment where payment_id = $1`,
    [paymentId],
  );
  return found!;
}
const rested = (paymentId: string) =>
  payments.query(
    "update payments.payment set updated_at = now() - interval '1 minute' where payment_id = $1",
    [paymentId],
  );
const ends = (paymentId: string, state: string) =>
  eventually(async () => (await row(paymentId)).state === state);
const isAsked = (paymentId: string, attempts: number) =>
  eventually(async () => (await row(paymentId)).attempts >= attempts);

describe("a bank's notification", () => {
  test.each([
    ["approved", "SUCCESS"],
    ["declined", "FAILED"],
  ] as const)("has the bank asked, and the bank's answer decides: %s", async (outcome, state) => {
    const paymentId = await acceptedSale();
    await decide(paymentId, outcome);
    await rested(paymentId);
    expect(await notify(paymentId)).toBe(true);
    await ends(paymentId, state);
    expect(await payments.ledger(paymentId)).toMatchObject([{ operation: "sale", outcome }]);
  });

  test("decides nothing by itself: of what the bank has not decided nothing changes", async () => {
    const paymentId = await acceptedSale();
    const before = await row(paymentId);
    await rested(paymentId);
    expect(await notify(paymentId)).toBe(true);
    await isAsked(paymentId, before.attempts + 1);
    expect(await row(paymentId)).toMatchObject({ state: "AUTHORIZING" });
    expect(await payments.ledger(paymentId)).toEqual([]);
  });

  test("names a payment by its order, too", async () => {
    const paymentId = await acceptedSale();
    await decide(paymentId, "approved");
    await rested(paymentId);
    expect(await notify(paymentId.replaceAll("-", ""))).toBe(true);
    await ends(paymentId, "SUCCESS");
  });

  test("that comes many times, or just after an inquiry, has the bank asked once, a rest later", async () => {
    const paymentId = await acceptedSale();
    const before = await row(paymentId);
    // The last inquiry lies an hour ahead: however slow this machine is, the rest is not over.
    await payments.query(
      "update payments.payment set updated_at = now() + interval '1 hour' where payment_id = $1",
      [paymentId],
    );
    for (let copy = 0; copy < 20; copy++) expect(await notify(paymentId)).toBe(true);
    const after = await row(paymentId);
    expect(after.attempts).toBe(before.attempts);
    expect(after.rest).toBe(5);
  });

  test("that comes while a process works on the payment brings the next inquiry forward, and takes nothing from it", async () => {
    const paymentId = await acceptedSale();
    const token = randomUUID();
    await payments.query(
      `update payments.payment set lease_token = $2, lease_until = now() + interval '1 hour',
         recover_at = now() + interval '1 hour', updated_at = now() - interval '1 minute' where payment_id = $1`,
      [paymentId, token],
    );
    expect(await notify(paymentId)).toBe(true);
    const held = await row(paymentId);
    expect(held).toMatchObject({ is_noted: true, is_leased: true });
    expect(held.due_in).toBeGreaterThan(3_000);
    // That process may have asked before the notified change, and leaves the next inquiry to a day later.
    const pool = createPool({
      url: payments.database.urls.payments.app,
      connectionsMax: 1,
      applicationName: "overtaken",
      log,
    });
    onTestFinished(() => pool.end());
    const leased = { payment_id: paymentId, lease_token: token };
    await postpone(createDatabase<PaymentsDatabase>(pool), leased, { inMs: 86_400_000, cause: "pending" });
    const after = await row(paymentId);
    expect(after).toMatchObject({ is_noted: false, is_leased: false });
    expect(after.due_in).toBeLessThanOrEqual(5);
  });

  test("of a decided payment changes nothing", async () => {
    const paymentId = await acceptedSale();
    await decide(paymentId, "approved");
    await rested(paymentId);
    await notify(paymentId);
    await ends(paymentId, "SUCCESS");
    const before = await row(paymentId);
    expect(await notify(paymentId)).toBe(true);
    expect(await row(paymentId)).toEqual(before);
  });

  test("of nothing that the account has, or of another account's payment, is accepted and ignored with a line in the log", async () => {
    const paymentId = await acceptedSale();
    await rested(paymentId);
    const before = await row(paymentId);
    const other = await operators.account({ secrets: { notificationKey: "another-key-of-notifications" } });
    const from = { accountId: other, key: "another-key-of-notifications" };
    expect(await notify(paymentId, from)).toBe(true);
    expect(await notify(randomUUID())).toBe(true);
    expect(await notify(`${randomUUID()}:refund`)).toBe(true);
    expect(await notify("no name of ours")).toBe(true);
    expect(await row(paymentId)).toMatchObject({ state: before.state, attempts: before.attempts });
    expect((await row(paymentId)).due_in).toBeGreaterThan(60);
    const logged = lines.find(({ msg }) => msg === "a bank's notification names nothing of its account");
    expect(logged).toMatchObject({ account: other });
  });

  test("that does not prove its sender changes nothing, whoever's it would be", async () => {
    const paymentId = await acceptedSale();
    await rested(paymentId);
    const keyless = await operators.account();
    expect(await notify(paymentId, { key: "a-key-that-is-not-the-account-s" })).toBe(false);
    expect(await notify(paymentId, { headers: { "x-sim-signature": "" } })).toBe(false);
    expect(await notify(paymentId, { accountId: randomUUID() })).toBe(false);
    expect(await notify(paymentId, { accountId: keyless, key: "" })).toBe(false);
    expect((await row(paymentId)).due_in).toBeGreaterThan(60);
    expect(lines.find(({ msg }) => msg === "a notification proves nothing")).toMatchObject({
      account,
      reason: "signature",
    });
  });

  test("leaves a challenge alone that its cardholder may still pass", async () => {
    const paymentId = await acceptedSale();
    await rested(paymentId);
    await payments.query(
      `update payments.payment set state = 'ENROLLED', recovery_from = now() + interval '1 hour',
         recover_at = now() + interval '1 hour' where payment_id = $1`,
      [paymentId],
    );
    expect(await notify(paymentId)).toBe(true);
    const left = await row(paymentId);
    expect(left).toMatchObject({ state: "ENROLLED", is_noted: false });
    expect(left.due_in).toBeGreaterThan(3_000);
  });
});
