import { randomBytes, randomUUID, type UUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orderIdOf } from "@holdfast/acquirer";
import { operations, type ApiPaymentResponse } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountOperators } from "../../services/payments/test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";
import { playBank, type PlayedBank } from "../conformance/played-banks.ts";
import { captureLog, evenSchedule, eventually, type LogLine } from "../support/index.ts";

/**
 * Banks that release an authorization only on its business day, or for a week, and let it lapse later: a
 * payment expires all the same.
 */
let payments: PaymentsHarness;
let dir: string;
const { log, lines } = captureLog("payments");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-expired-"));
  payments = await startPaymentsHarness(
    {
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      EXPIRY_INTERVAL: "50ms",
      RECOVERY_SCHEDULE: evenSchedule(300, 400),
      RECOVERY_INTERVAL: "30ms",
    },
    { log: () => log },
  );
});
afterAll(async () => {
  await payments.close();
  await rm(dir, { recursive: true });
});

const DAYS = 8;

const expire = (paymentId: string) =>
  payments.query("update payments.payment set authorization_expires_at = now() where payment_id = $1", [
    paymentId,
  ]);

/** None of its calls can arrive any more. */
const pastHorizon = (paymentId: string) =>
  payments.query("update payments.bank_call set sent_at = sent_at - interval '1 day' where payment_id = $1", [
    paymentId,
  ]);

const told = (paymentId: string) => lines.filter((line) => line["paymentId"] === paymentId && isOfHold(line));
const isOfHold = ({ msg }: LogLine) =>
  msg === "the bank lets the hold of an expired authorization lapse by itself";

describe.each([
  ["garanti", "0201", 1],
  // A code that may have any cause is believed when it is repeated.
  ["akbank", "VPS-1997", 2],
  ["posnet", "0122", 2],
] as const)("at %s", (protocol, tooLate, refusals) => {
  let bank: PlayedBank;
  let merchantId: UUID;
  beforeAll(async () => {
    bank = await playBank(protocol, dir);
    const { account, merchantRoutedTo } = accountOperators(payments, () => "");
    merchantId = await merchantRoutedTo({ accountId: await account(bank.account) });
  });
  afterAll(() => bank.close());

  const of = () => ({ merchant: { merchantId } });

  async function authorize(): Promise<string> {
    const command = payments.command({ ofMerchant: merchantId, amountMinor: "10000" });
    expect(await payments.call(operations.preAuthorize.command, command, of())).toMatchObject({
      outcome: "done",
      result: { status: "SUCCESS" },
    });
    return command.paymentId;
  }

  /** Days pass, here and at the bank. */
  async function grow(paymentId: string): Promise<void> {
    await bank.closeDay();
    // The other banks compare a request's time with their clock.
    if (protocol === "posnet") await bank.advance(DAYS * 86_400);
    await payments.query(
      "update payments.payment set created_at = created_at - $2 * interval '1 day' where payment_id = $1",
      [paymentId, DAYS],
    );
  }

  async function shown(paymentId: string): Promise<ApiPaymentResponse> {
    const reply = await payments.read(paymentId, merchantId);
    if (reply.outcome !== "done") throw new Error(reply.outcome);
    return reply.result;
  }

  test("an older authorization expires though the bank refuses to release it, and its hold lapses", async () => {
    const paymentId = await authorize();
    await grow(paymentId);
    await expire(paymentId);
    await eventually(async () => {
      await pastHorizon(paymentId);
      return (await shown(paymentId)).status === "CANCELLED";
    });
    expect(await shown(paymentId)).toMatchObject({
      lastOperation: { type: "EXPIRY", status: "DECLINED", resultCode: tooLate },
    });
    expect(
      await payments.query(
        "select cause from payments.payment_history where payment_id = $1 and to_state = 'CANCELLED'",
        [paymentId],
      ),
    ).toEqual([{ cause: "hold_lapses" }]);
    expect(
      await payments.query(
        "select status from payments.outbox where payment_id = $1 and event_type = 'payment.status_changed' order by event_id",
        [paymentId],
      ),
    ).toEqual([{ status: "SUCCESS" }, { status: "CANCELLED" }]);
    expect(await bank.ledger(paymentId)).toEqual([
      "authorize approved 10000",
      ...Array.from({ length: refusals }, () => "void declined 10000"),
    ]);
    expect(told(paymentId)).toHaveLength(1);
  });

  test("one that is captured at the bank, and not here, does not: it is tried again a day later", async () => {
    const paymentId = await authorize();
    const panel = bank.connect();
    const capture = {
      reference: "panel",
      orderId: orderIdOf(paymentId),
      parentReference: paymentId,
      amountMinor: 10_000n,
      currency: "TRY",
      target: { amountMinor: 10_000n, capturedMinor: 0n, installmentCount: 1, at: new Date() },
      waitUntil: new Date(Date.now() + 60_000),
    };
    expect(await panel.capture(capture)).toMatchObject({ kind: "approved" });
    await panel.close();
    await grow(paymentId);
    await expire(paymentId);
    await eventually(async () => {
      const [row] = await payments.query<{ hours: number }>(
        `select round(extract(epoch from authorization_expires_at - now()) / 3600)::int as hours
         from payments.payment where payment_id = $1`,
        [paymentId],
      );
      return row?.hours === 24;
    });
    expect(await shown(paymentId)).toMatchObject({
      status: "SUCCESS",
      lastOperation: { type: "EXPIRY", status: "DECLINED", resultCode: "CAPTURED" },
    });
    expect(await bank.ledger(paymentId)).toEqual(["authorize approved 10000", "capture approved 10000"]);
    expect(told(paymentId)).toEqual([]);
  });

  test("a merchant's cancel of it is declined in the bank's words, and changes nothing", async () => {
    const paymentId = await authorize();
    await grow(paymentId);
    const cancel = { paymentId, operationId: randomUUID() };
    const reply = await eventually(async () => {
      const again = await payments.call(operations.cancel.command, cancel, of());
      if (again.outcome === "pending") await pastHorizon(paymentId);
      return again.outcome !== "pending" && again;
    });
    expect(reply).toMatchObject({
      outcome: "problem",
      code: "acquirer_declined",
      extra: { resultCode: tooLate },
    });
    expect(await shown(paymentId)).toMatchObject({ status: "SUCCESS" });
    expect(told(paymentId)).toEqual([]);
  });
});
