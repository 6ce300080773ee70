// Kills a payments process with a payment at a Nestpay bank or at iyzico, which bind no reference and repeat
// no answer: before the call, and after the bank has carried it out. Another process continues, and the bank
// has each movement once.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import type { Failpoint } from "@holdfast/service-runtime";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeAccount, resultOf } from "../../services/payments/test/account-operators.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

const BANKS = ["nestpay", "iyzico"] as const;
type Protocol = (typeof BANKS)[number];

/** Each kind of death costs seconds, so that each point of a follow-up is at one of the banks. */
const CAPTURE: Record<Protocol, Failpoint> = {
  nestpay: "payments.operation_after_claim",
  iyzico: "payments.operation_after_acquirer",
};
const REFUND: Record<Protocol, Failpoint> = {
  nestpay: "payments.after_refund_call",
  iyzico: "payments.before_refund_call",
};

let refunds: RefundsHarness;
let dir: string;
let survivor: { stop(): Promise<void> } | undefined;
const banks = {} as Record<Protocol, PlayedBank & { merchantId: string }>;

/** A lease of a killed process, and a call that it may have sent, are waited for. */
const SOON = {
  ACQUIRER_TIMEOUT: "2s",
  LEASE_DURATION: "6s",
  RECOVERY_SCHEDULE: "50ms,200ms,500ms,1s",
  RECOVERY_INTERVAL: "30ms",
  REVERSE_UNSEEN_AFTER: "1s",
  DRAIN_TIMEOUT: "100ms",
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-kill-"));
  refunds = await startRefundsHarness({
    env: { ...FAST, ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
    refunds: { PAYMENTS_TIMEOUT: "2s", ACQUIRER_TIMEOUT: "1500ms", LEASE_DURATION: "5s" },
    running: ["refunds"],
  });
  await survive();
  for (const protocol of BANKS) {
    const bank = await playBank(protocol, dir);
    const account = { ...bank.account, name: protocol, currencies: ["TRY"], lateArrivalSeconds: 2 } as const;
    const { accountId } = resultOf(await makeAccount(refunds, account as never, "alice"));
    await refunds.operate(operations.confirmAcquirerAccount.command, { accountId, version: 1 }, "bora");
    const merchantId = randomUUID();
    await refunds.operate(
      operations.putMerchantRoutes.command,
      { merchantId, routes: [{ accountId }] },
      "alice",
    );
    await refunds.operate(operations.confirmMerchantRoutes.command, { merchantId, version: 1 }, "bora");
    banks[protocol] = { ...bank, merchantId };
  }
});
afterAll(async () => {
  await refunds?.close();
  for (const bank of Object.values(banks)) await bank.close();
  await rm(dir, { recursive: true });
});

async function survive(): Promise<void> {
  survivor ??= await refunds.startPayments(SOON);
}

/** Sends the request that kills the only process at the point, and starts another. */
async function killBy(point: Failpoint, send: () => Promise<unknown>): Promise<void> {
  await survivor?.stop();
  survivor = undefined;
  const doomed = await refunds.spawn("payments", { ...SOON, FAILPOINTS: `${point}:kill@1` });
  send().catch(() => undefined);
  expect(await doomed.exited).toMatchObject({ signal: "SIGKILL" });
  expect(doomed.logTail()).toContain(`failpoint ${point}: kill`);
  await survive();
}

const of = (protocol: Protocol) => ({ merchant: { merchantId: banks[protocol].merchantId } });

function payment(protocol: Protocol, how: "sale" | "authorization") {
  const command = refunds.command({
    ofMerchant: banks[protocol].merchantId,
    amountMinor: "10000",
    cardData: { pan: "4355084355084358", cvv: "000" },
  });
  const { paymentId } = command;
  const send = () =>
    refunds.call(
      how === "sale" ? operations.pay.command : operations.preAuthorize.command,
      command,
      of(protocol),
    );
  return { paymentId, send };
}

/**
 * Pays again if a process did not start or the bank's time-out passed on a busy machine, since the later
 * steps need an approved payment.
 */
async function approved(protocol: Protocol, how: "sale" | "authorization"): Promise<string> {
  return await eventually(async () => {
    const { paymentId, send } = payment(protocol, how);
    expect(await send()).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
    return paymentId;
  });
}

/** Waits until nothing is under way about the payment. @returns its status, and the bank's operations for it. */
async function ended(protocol: Protocol, paymentId: string) {
  const status = await eventually(async () => {
    const read = await refunds.call(operations.getPayment.command, { paymentId }, of(protocol));
    if (!("result" in read) || read.result.status === "ENROLLED") return false;
    return read.result.lastOperation?.status !== "PENDING" && read.result.status;
  });
  const lines = await banks[protocol].ledger(paymentId);
  return [status, ...lines.filter((line) => line.includes(" approved "))];
}

describe("killed with an approval that the bank's history does not show", () => {
  afterEach(() => banks.nestpay.mode({ historyLagSeconds: 0 }));

  test("a sale, once it is noted: it is neither reversed nor FAILED, and is adopted when it is shown", async () => {
    await banks.nestpay.mode({ historyLagSeconds: 86_400 });
    const { paymentId, send } = payment("nestpay", "sale");
    await killBy("payments.after_heard", send);
    await isAskedBeyondItsHorizon(paymentId);
    await banks.nestpay.mode({ historyLagSeconds: 0 });
    expect(await ended("nestpay", paymentId)).toEqual(["SUCCESS", "sale approved 10000"]);
  });

  test("a capture, once it is noted: it is not sent again, and is CAPTURED when it is shown", async () => {
    const paymentId = await approved("nestpay", "authorization");
    await banks.nestpay.mode({ historyLagSeconds: 86_400 });
    const command = { paymentId, operationId: randomUUID(), amount: "40.00", currency: "TRY" };
    await killBy("payments.after_call_note", () =>
      refunds.call(operations.capture.command, command, of("nestpay")),
    );
    await isAskedBeyondItsHorizon(paymentId);
    await banks.nestpay.mode({ historyLagSeconds: 0 });
    const once = ["CAPTURED", "authorize approved 10000", "capture approved 4000"];
    expect(await ended("nestpay", paymentId)).toEqual(once);
    const calls = await refunds.query(
      "select from payments.bank_call where payment_id = $1 and kind = 'capture'",
      [paymentId],
    );
    expect(calls).toHaveLength(1);
  });
});

/** The bank has been asked in vain after the time in which a call may still arrive, and in which the unseen is reversed. */
async function isAskedBeyondItsHorizon(paymentId: string): Promise<void> {
  await eventually(async () => {
    const rows = await refunds.query(
      `select from payments.payment join payments.bank_call using (payment_id)
       where payment_id = $1 and state in ('AUTHORIZING', 'SUCCESS') and last_inquiry is not null
         and recovery_attempts >= 4 and bank_call.heard_at < now() - interval '5 seconds'`,
      [paymentId],
    );
    return rows.length > 0;
  });
}

describe.each(BANKS)("killed with a payment at %s", (protocol) => {
  test.each<[Failpoint, string[]]>([
    ["payments.after_claim", ["FAILED"]],
    ["payments.after_acquirer", ["SUCCESS", "authorize approved 10000"]],
  ])("an authorization, at %s", async (point, expected) => {
    const { paymentId, send } = payment(protocol, "authorization");
    await killBy(point, send);
    expect(await ended(protocol, paymentId)).toEqual(expected);
  });

  test(`a capture, ${CAPTURE[protocol]}: it is captured once`, async () => {
    const paymentId = await approved(protocol, "authorization");
    const command = { paymentId, operationId: randomUUID(), amount: "40.00", currency: "TRY" };
    await killBy(CAPTURE[protocol], () => refunds.call(operations.capture.command, command, of(protocol)));
    const once = ["CAPTURED", "authorize approved 10000", "capture approved 4000"];
    expect(await ended(protocol, paymentId)).toEqual(once);
  });

  test("a cancellation, after the bank's answer: it is voided once", async () => {
    const paymentId = await approved(protocol, "sale");
    const command = { paymentId, operationId: randomUUID() };
    const send = () => refunds.call(operations.cancel.command, command, of(protocol));
    await killBy("payments.operation_after_acquirer", send);
    const once = ["CANCELLED", "sale approved 10000", "void approved 10000"];
    expect(await ended(protocol, paymentId)).toEqual(once);
  });

  test(`a refund, ${REFUND[protocol]}: it is paid once`, async () => {
    const paymentId = await approved(protocol, "sale");
    await banks[protocol].closeDay();
    const refundId = randomUUID();
    const request = { refundId, paymentId, amountMinor: "10000", currency: "TRY" };
    expect(await refunds.call(operations.requestRefund.command, request, of(protocol))).toMatchObject({
      outcome: "done",
    });
    await killBy(REFUND[protocol], () => refunds.approve(refundId));
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    const [, ...lines] = await ended(protocol, paymentId);
    expect(lines).toEqual(["sale approved 10000", "refund approved 10000"]);
  });
});
