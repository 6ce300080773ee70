import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBank, type Simulator } from "@holdfast/bank-simulator";
import { merchantsSchema } from "@holdfast/bank-simulator/nestpay";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { dayEndFarAway, eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";
import { namesPayment } from "../support/names-payment.ts";

/**
 * A bank that takes a call later, or not with these credentials: nothing is lost, and nothing is reported as a decline.
 */
let refunds: RefundsHarness;
let dir: string;
let bank: Simulator;
let operators: ReturnType<typeof accountOperators>;
let accountId: string;
let merchantId: string;
let version = 1;

const STORE = { clientId: "990000001", name: "apiuser", password: "s3cret-pass", storeKey: "TEST1234" };
const SECRETS = { apiUser: STORE.name, apiPassword: STORE.password, storeKey: STORE.storeKey };
const BUSINESS_DAY = dayEndFarAway();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-later-"));
  bank = await startBank("nestpay", {
    ledgerFile: join(dir, "nestpay.ndjson"),
    merchants: merchantsSchema.parse([STORE]),
  });
  refunds = await startRefundsHarness({
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  operators = accountOperators(refunds, () => bank.url);
  accountId = await operators.account({
    protocol: "nestpay",
    settings: {
      apiUrl: `${bank.url}/fim/api`,
      gateUrl: `${bank.url}/fim/est3Dgate`,
      clientId: STORE.clientId,
    },
    secrets: SECRETS,
    businessDay: BUSINESS_DAY,
  });
  merchantId = await operators.merchantRoutedTo({ accountId });
});
afterAll(async () => {
  await refunds.close();
  await bank.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => useSecrets(SECRETS));

async function useSecrets(secrets: typeof SECRETS): Promise<void> {
  version++;
  await operators.change(accountId, version, { secrets });
}
const WRONG = { ...SECRETS, apiPassword: "another" };

const of = () => ({ merchant: { merchantId } });
async function sell() {
  const command = refunds.command({
    ofMerchant: merchantId,
    amountMinor: "10000",
    cardData: { pan: "4355084355084358", cvv: "000" },
  });
  return { paymentId: command.paymentId, reply: await refunds.call(operations.pay.command, command, of()) };
}
async function faults(operation: string, behaviour: string): Promise<void> {
  const { ok } = await fetch(`${bank.url}/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ operation, behaviour, times: 1 }),
  });
  expect(ok).toBe(true);
}
/** Approved by an operator. @returns its id. */
async function refund(paymentId: string, amountMinor: string): Promise<string> {
  const refundId = randomUUID();
  const request = { refundId, paymentId, amountMinor, currency: "TRY" };
  expect(await refunds.call(operations.requestRefund.command, request, of())).toMatchObject({
    outcome: "done",
  });
  await refunds.approve(refundId);
  return refundId;
}
type Waiting = { state: string; last_inquiry: string; recovery_attempts: number; due: string; soon: boolean };
const waiting = async (refundId: string) =>
  (
    await refunds.query<Waiting>(
      `select state, last_inquiry, recovery_attempts, recover_at < now() + interval '1 minute' as soon,
         to_char(date_trunc('minute', recover_at at time zone 'UTC' + interval '30 seconds'), 'HH24:MI') as due
       from refunds.refund where refund_id = $1`,
      [refundId],
    )
  )[0]!;
async function ledger(paymentId: string): Promise<string[]> {
  type Line = { operation: string; outcome: string; amountMinor: number; orderId: string };
  const text = await (await fetch(`${bank.url}/ledger`)).text();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
    .filter(({ orderId }) => namesPayment(orderId, paymentId))
    .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`);
}

test("a part that the bank pays only after its day waits until then, is no alarm, and is paid once", async () => {
  const { paymentId } = await sell();
  const refundId = await refund(paymentId, "2500");
  await eventually(async () => (await waiting(refundId)).last_inquiry === "day_not_ended");
  expect(await waiting(refundId)).toMatchObject({
    state: "EXECUTING",
    recovery_attempts: 1,
    due: BUSINESS_DAY.cutOff,
  });

  await fetch(`${bank.url}/business-day/close`, { method: "POST" });
  await refunds.query(
    "update payments.payment set created_at = created_at - interval '1 day' where payment_id = $1",
    [paymentId],
  );
  await refunds.abandon(refundId);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await ledger(paymentId)).toEqual(["sale approved 10000", "refund approved 2500"]);
});

describe("credentials that the bank does not accept", () => {
  test("let a refund wait, which is paid when they are mended", async () => {
    const { paymentId } = await sell();
    await useSecrets(WRONG);
    const refundId = await refund(paymentId, "10000");
    await eventually(async () => (await waiting(refundId)).last_inquiry === "credentials");
    expect(await waiting(refundId)).toMatchObject({ state: "EXECUTING", soon: true });
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);

    await useSecrets(SECRETS);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    const [, ...back] = await ledger(paymentId);
    expect(back).toEqual([expect.stringMatching(/^(void|refund) approved 10000$/)]);
  });

  test("leave a payment unknown whose answer was lost, and it is found when they are mended", async () => {
    await faults("sale", "http_500");
    const { paymentId, reply } = await sell();
    expect(reply).toMatchObject({ outcome: "pending" });
    await useSecrets(WRONG);
    const inquiry = async () =>
      (
        await refunds.query<{ last_inquiry: string; state: string }>(
          "select last_inquiry, state from payments.payment where payment_id = $1",
          [paymentId],
        )
      )[0]!;
    const settled = async () => {
      const read = await refunds.call(operations.getPayment.command, { paymentId }, of());
      return "result" in read && read.result.status === "SUCCESS";
    };
    await eventually(
      async () => (await inquiry()).last_inquiry === "credentials" || (await inquiry()).state === "SUCCESS",
    );
    await useSecrets(SECRETS);
    await eventually(settled);
    expect(await ledger(paymentId)).toEqual(["sale approved 10000"]);
  });

  test("are no decline of a new payment", async () => {
    await useSecrets(WRONG);
    const { paymentId, reply } = await sell();
    expect(reply).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "acquirer_unavailable" },
    });
    expect(await ledger(paymentId)).toEqual([]);
  });
});
