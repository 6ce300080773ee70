import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations, type CommandReply } from "@holdfast/contracts";
import { startBank, type Simulator } from "@holdfast/bank-simulator";
import type { Modes } from "@holdfast/bank-simulator/iyzico";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeAccount } from "../../services/payments/test/account-operators.ts";
import { dayEndFarAway, eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";
import { namesPayment } from "../support/names-payment.ts";

/** A payment that the issuer has approved, and the bank's fraud desk has still to decide on. */
let refunds: RefundsHarness;
let bank: Simulator;
let dir: string;

const KEYS = { apiKey: "sandbox-key", secretKey: "sandbox-secret", merchantId: "9001" };
const merchantId = randomUUID();
const merchant = { merchant: { merchantId } };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-review-"));
  bank = await startBank("iyzico", { ledgerFile: join(dir, "iyzico.ndjson"), merchants: [KEYS] });
  refunds = await startRefundsHarness({
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  const defaults = {
    email: "orders@shop.example",
    identityNumber: "11111111111",
    ip: "203.0.113.1",
    address: { line1: "Harbour Street 1", city: "Izmir", country: "Turkey" },
    item: { name: "Order", category: "Goods", kind: "virtual" },
  };
  const account = {
    protocol: "iyzico",
    name: "a bank that reviews",
    currencies: ["TRY"],
    settings: { url: bank.url, defaults },
    secrets: { apiKey: KEYS.apiKey, secretKey: KEYS.secretKey },
    businessDay: dayEndFarAway(),
  };
  const { accountId } = resultOf(await makeAccount(refunds, account, "alice"));
  resultOf(
    await refunds.operate(operations.confirmAcquirerAccount.command, { accountId, version: 1 }, "bora"),
  );
  resultOf(
    await refunds.operate(
      operations.putMerchantRoutes.command,
      { merchantId, routes: [{ accountId }] },
      "alice",
    ),
  );
  resultOf(
    await refunds.operate(operations.confirmMerchantRoutes.command, { merchantId, version: 1 }, "bora"),
  );
});
beforeEach(() => modes({ fraudStatus: 0, reviews: "open" }));
afterAll(async () => {
  await refunds.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}

async function modes(change: Partial<Modes>): Promise<void> {
  const headers = { "content-type": "application/json" };
  const { ok } = await fetch(`${bank.url}/modes`, { method: "PUT", headers, body: JSON.stringify(change) });
  expect(ok).toBe(true);
}

async function pay(send: typeof operations.pay.command | typeof operations.preAuthorize.command) {
  const cardData = { pan: "4355084355084358", cvv: "000" };
  const command = refunds.command({ ofMerchant: merchantId, amountMinor: "10000", cardData });
  return { paymentId: command.paymentId, reply: await refunds.call(send, command, merchant) };
}

async function read(paymentId: string) {
  return resultOf(await refunds.call(operations.getPayment.command, { paymentId }, merchant));
}

/** The movements at the bank, in its order. */
async function ledger(paymentId: string): Promise<string[]> {
  const lines = (await (await fetch(`${bank.url}/ledger`)).text()).split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { operation: string; outcome: string; orderId: string })
    .filter(({ orderId }) => namesPayment(orderId, paymentId))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);
}

async function events(paymentId: string): Promise<string[]> {
  const sql = "select status from payments.outbox where payment_id = $1";
  return (await refunds.query<{ status: string }>(sql, [paymentId])).map(({ status }) => status);
}

/** The review takes an hour, in which the bank is asked again. */
async function anHourLater(paymentId: string): Promise<void> {
  const aged = await eventually(async () => {
    const rows = await refunds.query<{ recovery_attempts: number }>(
      `update payments.payment set created_at = created_at - interval '1 hour', recover_at = now()
       where payment_id = $1 and lease_token is null returning recovery_attempts`,
      [paymentId],
    );
    return rows[0] ?? false;
  });
  await eventually(async () => {
    const [row] = await refunds.query<{ recovery_attempts: number; last_inquiry: string }>(
      "select recovery_attempts, last_inquiry from payments.payment where payment_id = $1",
      [paymentId],
    );
    return row!.recovery_attempts > aged.recovery_attempts && row!.last_inquiry === "in_review";
  });
}

/** The bank decides, and is asked. */
async function decide(paymentId: string, reviews: Modes["reviews"]): Promise<string> {
  await modes({ reviews });
  return await eventually(async () => {
    await refunds.query(
      "update payments.payment set recover_at = now() where payment_id = $1 and lease_token is null and recover_at is not null",
      [paymentId],
    );
    const { status } = await read(paymentId);
    return status !== "ENROLLED" && status;
  });
}

const IN_REVIEW = { status: "ENROLLED", resultCode: "in_review", merchantCommission: 0 };

test.each([
  ["a sale", operations.pay.command, "sale approved"],
  ["an authorization", operations.preAuthorize.command, "authorize approved"],
] as const)("%s in review is not to be shipped until the bank accepts it", async (_, send, charge) => {
  const { paymentId, reply } = await pay(send);
  expect(reply).toMatchObject({ outcome: "pending", result: IN_REVIEW });
  expect(resultOf(reply)).not.toHaveProperty("authCode");
  await anHourLater(paymentId);
  expect(await read(paymentId)).toMatchObject(IN_REVIEW);
  expect(await events(paymentId)).toEqual([]);
  expect(await decide(paymentId, "accepted")).toBe("SUCCESS");
  expect(await read(paymentId)).toMatchObject({ resultCode: "success", authCode: expect.any(String) });
  expect(await events(paymentId)).toEqual(["SUCCESS"]);
  expect(await ledger(paymentId)).toEqual([charge]);
});

test.each([
  ["a sale", operations.pay.command, "sale approved"],
  ["an authorization", operations.preAuthorize.command, "authorize approved"],
] as const)("%s that the review refuses is FAILED once its money is back", async (_, send, charge) => {
  const { paymentId } = await pay(send);
  await anHourLater(paymentId);
  expect(await decide(paymentId, "refused")).toBe("FAILED");
  expect(await ledger(paymentId)).toEqual([charge, "void approved"]);
  expect(await read(paymentId)).toMatchObject({ resultCode: "review_rejected" });
  expect(await events(paymentId)).toEqual(["FAILED"]);
});

test("what the review refuses is not FAILED while the bank keeps the money", async () => {
  const { paymentId } = await pay(operations.preAuthorize.command);
  await modes({ holdCancel: "refused", reviews: "refused" });
  await eventually(async () => {
    await refunds.query(
      "update payments.payment set recover_at = now() where payment_id = $1 and lease_token is null and state = 'AUTHORIZING'",
      [paymentId],
    );
    const rows = await refunds.query(
      "select 1 from payments.payment where payment_id = $1 and state = 'REVERSING' and last_inquiry like 'reversal%'",
      [paymentId],
    );
    return rows.length > 0;
  });
  expect(await read(paymentId)).toMatchObject({ status: "ENROLLED", resultCode: "review_rejected" });
  expect(await events(paymentId)).toEqual([]);
  await modes({ holdCancel: "any_day" });
  expect(await decide(paymentId, "refused")).toBe("FAILED");
  expect((await ledger(paymentId)).at(-1)).toBe("void approved");
});

test("a review that only an inquiry shows, the answer being lost, is waited for too", async () => {
  const headers = { "content-type": "application/json" };
  const fault = { operation: "sale", behaviour: "unknown_done", times: 1 };
  const body = JSON.stringify(fault);
  expect((await fetch(`${bank.url}/faults`, { method: "POST", headers, body })).ok).toBe(true);
  const { paymentId, reply } = await pay(operations.pay.command);
  expect(reply).toMatchObject({ outcome: "pending" });
  await eventually(async () => (await read(paymentId)).resultCode === "in_review");
  await anHourLater(paymentId);
  expect(await decide(paymentId, "accepted")).toBe("SUCCESS");
  expect(await ledger(paymentId)).toEqual(["sale approved"]);
});

test("it is neither captured, cancelled nor refunded meanwhile", async () => {
  const { paymentId } = await pay(operations.preAuthorize.command);
  const capture = { paymentId, operationId: randomUUID(), amount: "40.00", currency: "TRY" };
  const answers = [
    await refunds.call(operations.capture.command, capture, merchant),
    await refunds.call(operations.cancel.command, { paymentId, operationId: randomUUID() }, merchant),
    await refunds.ask(paymentId, "100", { change: merchant }),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ outcome: "problem" });
  expect(await ledger(paymentId)).toEqual(["authorize approved"]);
});
