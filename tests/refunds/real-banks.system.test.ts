import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  operations,
  reserveRefund,
  type CommandReply,
  type RefundToCarryOut,
} from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeAccount } from "../../services/payments/test/account-operators.ts";
import { BANK_PROTOCOLS } from "../conformance/bank-protocols.ts";
import { eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";
import { namesPayment } from "../support/names-payment.ts";

/** Each real protocol from a merchant's request to the bank's own ledger, by way of an account and a route. */
type Bank = { url: string; close(): Promise<void> };
type Protocol = "nestpay" | "iyzico";

let refunds: RefundsHarness;
let dir: string;
const banks = {} as Record<Protocol, Bank & { merchantId: string; accountId: string }>;

/** Modes in which the bank refuses the account's password, and in which it takes it again. */
const ACCESS: Record<Protocol, { refuses: object; accepts: object }> = {
  nestpay: { refuses: { access: "password_expired" }, accepts: { access: "open" } },
  iyzico: { refuses: { keys: "wrong_signature" }, accepts: { keys: "right" } },
};

/** A partial refund at Nestpay waits for the day's end. */
const settingsOf = (protocol: Protocol, url: string) => ({
  ...BANK_PROTOCOLS[protocol].settings(url),
  ...(protocol === "nestpay" && { creditBeforeDayEnd: false }),
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-banks-"));
  refunds = await startRefundsHarness({
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  for (const protocol of Object.keys(ACCESS) as Protocol[]) {
    const bank = await BANK_PROTOCOLS[protocol].start(join(dir, `${protocol}.ndjson`));
    const accountId = await account(protocol, bank.url, BANK_PROTOCOLS[protocol].secrets);
    const merchantId = randomUUID();
    await refunds.operate(
      operations.putMerchantRoutes.command,
      { merchantId, routes: [{ accountId }] },
      "alice",
    );
    await refunds.operate(operations.confirmMerchantRoutes.command, { merchantId, version: 1 }, "bora");
    banks[protocol] = { ...bank, merchantId, accountId };
  }
});
afterAll(async () => {
  await refunds.close();
  for (const bank of Object.values(banks)) await bank.close();
  await rm(dir, { recursive: true });
});

/** An account in use. @returns its id. */
async function account(protocol: Protocol, url: string, secrets: Record<string, string>): Promise<string> {
  const made = await makeAccount(
    refunds,
    {
      protocol,
      name: `${protocol} ${randomUUID()}`,
      currencies: ["TRY"],
      settings: settingsOf(protocol, url),
      secrets,
    },
    "alice",
  );
  const { accountId } = resultOf(made);
  resultOf(
    await refunds.operate(operations.confirmAcquirerAccount.command, { accountId, version: 1 }, "bora"),
  );
  return accountId;
}

function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}

const of = (protocol: Protocol) => ({ merchant: { merchantId: banks[protocol].merchantId } });

/** A card that both banks decline for insufficient funds. */
const NO_FUNDS = { pan: "4000000000009995", cvv: "000" };

async function pay(protocol: Protocol, how: "sale" | "authorization", given: object = {}) {
  const command = refunds.command({
    ofMerchant: banks[protocol].merchantId,
    amountMinor: "10000",
    cardData: { pan: "4355084355084358", cvv: "000" },
    ...given,
  });
  const send = how === "sale" ? operations.pay.command : operations.preAuthorize.command;
  return { paymentId: command.paymentId, reply: await refunds.call(send, command, of(protocol)) };
}

/** The bank's lines for a payment, as `operation outcome amount`. */
async function ledger(protocol: Protocol, paymentId: string): Promise<string[]> {
  const text = await (await fetch(`${banks[protocol].url}/ledger`)).text();
  type Line = { operation: string; outcome: string; amountMinor: number; orderId: string };
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
    .filter(({ orderId }) => namesPayment(orderId, paymentId))
    .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`);
}

async function approvedLines(protocol: Protocol, paymentId: string): Promise<string[]> {
  return (await ledger(protocol, paymentId)).filter((line) => line.includes(" approved "));
}

async function modes(protocol: Protocol, change: object): Promise<void> {
  const { ok } = await fetch(`${banks[protocol].url}/modes`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
  expect(ok).toBe(true);
}

async function faults(protocol: Protocol, operation: string, behaviour: string): Promise<void> {
  const { ok } = await fetch(`${banks[protocol].url}/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ operation, behaviour, times: 1 }),
  });
  expect(ok).toBe(true);
}

/** The played bank's day ends when a test says so, and not by our clock, by which a part waits for its end. */
const sendCreditsOnTheDay = once(async () => {
  const { accountId, url } = banks.nestpay;
  const settings = BANK_PROTOCOLS.nestpay.settings(url) as never;
  await refunds.operate(
    operations.changeAcquirerAccount.command,
    { accountId, change: { settings } },
    "alice",
  );
  resultOf(
    await refunds.operate(operations.confirmAcquirerAccount.command, { accountId, version: 2 }, "bora"),
  );
});

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}

describe.each(["nestpay", "iyzico"] as const)("a merchant at %s", (protocol) => {
  test("has its account probed: the right credentials, and wrong ones", async () => {
    const { accountId, url } = banks[protocol];
    expect(await refunds.operate(operations.probeAcquirerAccount.command, { accountId })).toMatchObject({
      result: { result: "ok" },
    });
    const wrong = await account(protocol, url, BANK_PROTOCOLS[protocol].wrong);
    expect(
      await refunds.operate(operations.probeAcquirerAccount.command, { accountId: wrong }),
    ).toMatchObject({
      result: { result: "credentials" },
    });
  });

  test.each(["sale", "authorization"] as const)("learns of a %s what kind of decline it is", async (how) => {
    const { paymentId, reply } = await pay(protocol, how, { cardData: NO_FUNDS });
    const declined = { paymentId, status: "FAILED", declineClass: "limit" };
    expect(reply).toMatchObject({ outcome: "done", result: declined });
    expect(
      resultOf(await refunds.call(operations.getPayment.command, { paymentId }, of(protocol))),
    ).toMatchObject(declined);
    const [webhook] = await refunds.query<{ body: Buffer }>(
      "select body from payments.outbox where payment_id = $1",
      [paymentId],
    );
    expect(JSON.parse(webhook!.body.toString())).toMatchObject(declined);
  });

  test("shows no kind of decline of what is approved", async () => {
    const { reply } = await pay(protocol, "sale");
    expect(resultOf(reply)).not.toHaveProperty("declineClass");
  });

  test("authorizes and captures a part", async () => {
    const { paymentId, reply } = await pay(protocol, "authorization");
    expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    const command = { paymentId, operationId: randomUUID(), amount: "40.00", currency: "TRY" };
    expect(await refunds.call(operations.capture.command, command, of(protocol))).toMatchObject({
      outcome: "done",
      result: { status: "CAPTURED" },
    });
    expect(await ledger(protocol, paymentId)).toEqual(["authorize approved 10000", "capture approved 4000"]);
  });

  test("is refused a refund of what was not captured, which this bank cannot release in part", async () => {
    const { paymentId } = await pay(protocol, "authorization");
    const request = { refundId: randomUUID(), paymentId, amountMinor: "2500", currency: "TRY" };
    const refusal = { outcome: "problem", code: "payment_not_refundable" };
    expect(await refunds.call(operations.requestRefund.command, request, of(protocol))).toMatchObject(
      refusal,
    );
    expect(await ledger(protocol, paymentId)).toEqual(["authorize approved 10000"]);
  });

  test("sells, and cancels on the day", async () => {
    const { paymentId, reply } = await pay(protocol, "sale");
    expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    const command = { paymentId, operationId: randomUUID() };
    expect(await refunds.call(operations.cancel.command, command, of(protocol))).toMatchObject({
      outcome: "done",
      result: { status: "CANCELLED" },
    });
    expect(await ledger(protocol, paymentId)).toEqual(["sale approved 10000", "void approved 10000"]);
  });

  test("gives back a whole sale on its day", async () => {
    const { paymentId } = await pay(protocol, "sale");
    const refundId = randomUUID();
    const request = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
    expect(await refunds.call(operations.requestRefund.command, request, of(protocol))).toMatchObject({
      outcome: "done",
    });
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    const [, back] = await ledger(protocol, paymentId);
    expect(back).toMatch(/^(void|refund) approved 10000$/);
  });

  test("gives back two equal parts after the day, the second one's answer lost: each is paid once", async () => {
    if (protocol === "nestpay") await sendCreditsOnTheDay();
    const { paymentId } = await pay(protocol, "sale");
    await fetch(`${banks[protocol].url}/business-day/close`, { method: "POST" });
    const parts = [randomUUID(), randomUUID()];
    for (const refundId of parts) {
      const request = { refundId, paymentId, amountMinor: "2500", currency: "TRY" };
      expect(await refunds.call(operations.requestRefund.command, request, of(protocol))).toMatchObject({
        outcome: "done",
      });
    }
    await refunds.approve(parts[0]!);
    expect(await refunds.settled(parts[0]!)).toBe("SUCCESS");
    await faults(protocol, "refund", "hang_before");
    await refunds.approve(parts[1]!);
    expect(await refunds.describe(parts[1]!)).toMatchObject({ result: { state: "EXECUTING" } });
    expect(await ledger(protocol, paymentId)).toEqual(["sale approved 10000", "refund approved 2500"]);
  });

  test("gives back after the day's end what was asked for on the day", async () => {
    const { paymentId } = await pay(protocol, "sale");
    const refundId = randomUUID();
    const request = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
    expect(await refunds.call(operations.requestRefund.command, request, of(protocol))).toMatchObject({
      outcome: "done",
    });
    await fetch(`${banks[protocol].url}/business-day/close`, { method: "POST" });
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await approvedLines(protocol, paymentId)).toEqual([
      "sale approved 10000",
      "refund approved 10000",
    ]);
  });

  test("loses nothing and is told no decline while the bank refuses its password", async () => {
    const { paymentId } = await pay(protocol, "sale");
    await fetch(`${banks[protocol].url}/business-day/close`, { method: "POST" });
    const refundId = randomUUID();
    const request = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
    await refunds.call(operations.requestRefund.command, request, of(protocol));
    await modes(protocol, ACCESS[protocol].refuses);
    const refused = await pay(protocol, "sale");
    expect(refused.reply).toMatchObject({
      outcome: "done",
      result: { status: "FAILED", resultCode: "acquirer_unavailable" },
    });
    await refunds.approve(refundId);
    expect(await refunds.describe(refundId)).toMatchObject({ result: { state: "EXECUTING" } });
    await modes(protocol, ACCESS[protocol].accepts);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await approvedLines(protocol, paymentId)).toEqual([
      "sale approved 10000",
      "refund approved 10000",
    ]);
    expect(await ledger(protocol, refused.paymentId)).toEqual([]);
  });

  test("is told a decline", async () => {
    const { paymentId, reply } = await pay(protocol, "sale", { cardData: { pan: "4000000000000002" } });
    expect(reply).toMatchObject({ outcome: "done", result: { status: "FAILED" } });
    expect(await ledger(protocol, paymentId)).toEqual(["sale declined 10000"]);
  });

  test("has a lost answer found by recovery, at its own bank", async () => {
    await faults(protocol, "sale", "http_500");
    const { paymentId, reply } = await pay(protocol, "sale");
    expect(reply).toMatchObject({ outcome: "pending" });
    await eventually(async () => {
      const read = await refunds.call(operations.getPayment.command, { paymentId }, of(protocol));
      return "result" in read && read.result.status === "SUCCESS";
    });
    expect(await ledger(protocol, paymentId)).toEqual(["sale approved 10000"]);
  });
});

test.each(["nestpay", "iyzico"] as const)(
  "nothing is kept of a sale that %s approves in part, and it is never SUCCESS",
  async (protocol) => {
    await faults(protocol, "sale", "partial");
    const { paymentId, reply } = await pay(protocol, "sale");
    expect(reply).toMatchObject({ outcome: "pending", result: { status: "ENROLLED" } });
    await eventually(async () => {
      const read = await refunds.call(operations.getPayment.command, { paymentId }, of(protocol));
      return "result" in read && read.result.status === "FAILED";
    });
    expect(await approvedLines(protocol, paymentId)).toEqual(["sale approved 5000", "void approved 5000"]);
  },
);

test("nobody says what a bank can do whose account is not known here yet", async () => {
  const { paymentId } = await pay("nestpay", "authorization");
  const at = (accountId: string) =>
    refunds.query("update payments.payment set account_id = $1 where payment_id = $2", [
      accountId,
      paymentId,
    ]);
  await at(randomUUID());
  const request = { paymentId, amountMinor: "2500", currency: "TRY" };
  const ask = () =>
    refunds.call(operations.requestRefund.command, { ...request, refundId: randomUUID() }, of("nestpay"));
  expect(await ask()).toMatchObject({ outcome: "not_started" });
  await at(banks.nestpay.accountId);
  expect(await ask()).toMatchObject({ outcome: "problem", code: "payment_not_refundable" });
});

test("of two parts, what nestpay shows of the one is never taken for the other, which was not sent", async () => {
  await sendCreditsOnTheDay();
  const { paymentId } = await pay("nestpay", "sale");
  await fetch(`${banks.nestpay.url}/business-day/close`, { method: "POST" });
  const [unsent, lost] = [await reservedPart(paymentId), await reservedPart(paymentId)];
  await faults("nestpay", "refund", "http_500");
  expect(await atBank(carryOutRefundAtBank, lost)).toEqual({ kind: "unknown" });
  expect(await ledger("nestpay", paymentId)).toEqual(["sale approved 10000", "refund approved 2500"]);

  expect(await atBank(inquireRefundAtBank, unsent)).toEqual({ kind: "unknown" });
  expect(await atBank(inquireRefundAtBank, lost)).toEqual({ kind: "approved" });
  expect(await atBank(inquireRefundAtBank, unsent)).toEqual({ kind: "not_found" });
  expect(await atBank(carryOutRefundAtBank, unsent)).toEqual({ kind: "approved" });
  expect(await ledger("nestpay", paymentId)).toEqual([
    "sale approved 10000",
    "refund approved 2500",
    "refund approved 2500",
  ]);
});

/** A part whose amount is reserved, as `refunds` sends it. */
async function reservedPart(paymentId: string): Promise<RefundToCarryOut> {
  const part = { refundId: randomUUID(), paymentId, amountMinor: "2500", currency: "TRY" };
  const asked = { ...part, askedBy: [] };
  expect(await refunds.call(reserveRefund, asked, of("nestpay"))).toMatchObject({ outcome: "done" });
  await refunds.agree(part.refundId);
  return { ...part, kind: "refund", resumed: false };
}

/** The kind of answer that `refunds` gets about a part. */
async function atBank(
  command: typeof carryOutRefundAtBank | typeof inquireRefundAtBank,
  part: RefundToCarryOut,
): Promise<{ kind: string }> {
  const context = { requestId: randomUUID(), deadlineAt: Date.now() + 100_000, service: { name: "refunds" } };
  const { answer } = resultOf(await refunds.request(command as typeof carryOutRefundAtBank, context, part));
  return { kind: answer.kind };
}
